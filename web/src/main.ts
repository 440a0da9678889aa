import { mount } from 'svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/prose.css';
import App from './ui/App.svelte';

mount(App, { target: document.getElementById('app')! });
