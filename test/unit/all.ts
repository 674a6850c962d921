/** The unit tests in this process, but for those of reconcilers (reconcile/all.ts), which take as long; test/run.ts starts both. */
import { globSync } from 'node:fs'

const files = globSync('**/*.test.ts', { cwd: import.meta.dirname, exclude: ['reconcile/**'] })
for (const file of files.sort()) await import(`./${file}`)
