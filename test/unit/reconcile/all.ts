/** The unit tests of reconcilers in this process, beside test/unit/all.ts with the others; test/run.ts starts both. */
import { globSync } from 'node:fs'

for (const file of globSync('**/*.test.ts', { cwd: import.meta.dirname }).sort()) await import(`./${file}`)
