/** What the launcher (`keelson.js`) needs before it loads a program. */
export { loadCachedScript } from './cached-script.ts'
export { applyProcessPolicy } from './process-policy.ts'
