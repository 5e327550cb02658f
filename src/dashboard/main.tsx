import '@mantine/core/styles.layer.css';
import './styles/theme.css';
import './styles/layout.css';
import './styles/content.css';
import './styles/live.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// Said in full: after a step to another page, a browser reads a relative address of the picture from there.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) {
  icon.setAttribute('href', icon.href);
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
