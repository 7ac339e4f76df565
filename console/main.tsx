// The entry of the console in the browser.
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeTokenFromAddress } from './auth/local.ts';
import { followTheme } from './shell/theme.ts';
import './marks/marks.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/edit.css';
import './styles/overview.css';
import './styles/job.css';
import './styles/why.css';
import './styles/system.css';

takeTokenFromAddress();
followTheme();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');
createRoot(root).render(<App />);
