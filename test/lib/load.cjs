// Imports a module by Node itself; `import` in a test goes through the test runner.
module.exports = (url) => import(url);
