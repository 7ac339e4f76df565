// The version of Punctual: `version` of package.json. The OpenAPI document and `punctual --version` show it.
import packageJson from '../../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;
