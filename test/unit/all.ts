/** All unit tests in this process, as `npm run test:unit` runs them; test/run.ts starts it. */
import { globSync } from 'node:fs'

for (const file of globSync('**/*.test.ts', { cwd: import.meta.dirname }).sort()) await import(`./${file}`)
