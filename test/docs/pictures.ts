/**
 * npm run pictures: takes the pictures of the console that documents show, by its tests in a real Chromium and without the scripts that they plant, and
 * prints what has changed. A picture that they don't take is a fault.
 */
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ending } from '../bed/command.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const shown = [
  ...['fleet-light', 'fleet-dark', 'fleet-phone', 'unit-light', 'prune-dialog', 'graph-light', 'diff-light'],
  ...['comparison-light', 'plan-light', 'rollout-light', 'undo-dialog', 'what-happened'],
]
const tests = ['console', 'live', 'plans-and-rollouts', 'sources-and-hooks', 'undo'].map(
  name => `test/browser/${name}.test.ts`,
)
const root = join(import.meta.dirname, '../..')

await using taken = disposableDir()
const { exitCode, stdout } = await ending(process.execPath, ['--test', ...tests], {
  cwd: root,
  env: { ...process.env, KEELSON_SCREENSHOTS: taken.path, KEELSON_PICTURES: '1' },
})
if (exitCode !== 0) throw new Error(`the tests that take the pictures fail:\n${stdout}`)
for (const name of shown) {
  const [from, to] = [join(taken.path, `${name}.png`), join(root, 'docs/console', `${name}.png`)]
  if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue
  copyFileSync(from, to)
  console.log(`docs/console/${name}.png: ${statSync(to).size} bytes`)
}
