import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundle, bundleFunctions } from '../../infra/bundle.ts'
import { functionNames } from '../../infra/functions.ts'
import { gitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { tempDir } from '../bed/temp-dir.ts'

test('the bundle of each function has less than 2 MB, and holds nothing that was built for this machine', async () => {
  const directory = tempDir()
  const sizes = await bundleFunctions(functionNames, directory)
  assert.deepEqual([...sizes.keys()].sort(), [...functionNames].sort())
  for (const [name, { total, atStart }] of sizes) {
    assert.ok(total < 2_000_000, `${name}: ${total} bytes`)
    assert.ok(atStart < 1_600_000, `${name} loads ${atStart} bytes before it runs`)
    const files = readdirSync(join(directory, name))
    assert.ok(files.includes('index.mjs'))
    assert.deepEqual(
      files.filter(file => !/\.mjs(\.LEGAL\.txt)?$/.test(file)),
      [],
    )
  }
  const holdersOf = (code: string): readonly string[] =>
    functionNames.filter(name => {
      const folder = join(directory, name)
      return readdirSync(folder).some(file => readFileSync(join(folder, file), 'utf8').includes(code))
    })
  assert.deepEqual(
    holdersOf('ssh-userauth'),
    ['source', 'resourceset'],
    'the SSH client is only where git is read, or pushed to, over SSH',
  )
  const explained = gitRepository.versions.flatMap(({ schema }) => Object.values(schema.properties!.spec!.properties!))
  assert.ok(explained.length > 10)
  for (const { description } of explained)
    assert.deepEqual(holdersOf(description!), ['apiserver'], 'fields are only described where schemas are served')
})

test('regular expressions in a bundle know Unicode, whose tables are packed', async () => {
  const directory = tempDir()
  const source = join(directory, 'source.ts')
  const modules = JSON.stringify(join(import.meta.dirname, '../../node_modules/re2js/build/index.js'))
  writeFileSync(
    source,
    `import { RE2JS } from ${modules}
    export const matches = (pattern: string, text: string) => RE2JS.compile(pattern).matcher(text).find()`,
  )
  await bundle({ expressions: source }, directory)
  const { matches } = await import(join(directory, 'expressions.mjs'))
  const cases = [
    ['^\\p{L}+$', 'Größe', true],
    ['^\\p{Greek}+$', 'λόγος', true],
    ['^\\p{Greek}+$', 'Latin', false],
    ['(?i)^straße ΣΊΣΥΦΟΣ$', 'STRAßE σίσυφος', true],
    ['^\\P{Lo}$', 'あ', false],
  ] as const
  for (const [pattern, text, expected] of cases) assert.equal(matches(pattern, text), expected, pattern)
})
