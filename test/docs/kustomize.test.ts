/** The sample plugin of docs/kustomize.md is run as a reader would run it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { program } from '../bed/keelson-program.ts'
import { tempDir } from '../bed/temp-dir.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The content of the code block with this info string. */
const block = (markdown: string, info: string): string => {
  const found = new RegExp(`^\`\`\`${info}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(markdown)?.[1]
  assert.ok(found, `docs/kustomize.md has no block \`${info}\``)
  return found
}

test('the sample plugin makes what the page says', async () => {
  const page = await readFile(join(root, 'docs/kustomize.md'), 'utf8')
  const dir = tempDir({
    'plugins/kustomize/plugins/greetings.example.com': block(page, 'sh plugin'),
    'app/kustomization.yaml': block(page, 'yaml kustomization.yaml'),
    'app/greeting.yaml': block(page, 'yaml greeting.yaml'),
  })
  await chmod(join(dir, 'plugins/kustomize/plugins/greetings.example.com'), 0o755)

  const [command, ...args] = block(page, 'sh command').trim().split(' ')
  assert.equal(command, 'keelson')
  const env = { ...process.env, XDG_CONFIG_HOME: join(dir, 'plugins') }
  const { stdout } = await run(process.execPath, [program, ...args], { cwd: join(dir, 'app'), env })
  assert.equal(stdout, block(page, 'yaml output'))
})
