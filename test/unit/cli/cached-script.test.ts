import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import v8 from 'node:v8'
import { loadCachedScript } from '../../../lib/cli/cached-script.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const script = (digest: string, answer: string) =>
  `//${digest}\nexports.answer = () => require('node:path').join('${answer}', 'b')`

const answerOf = (folder: string): string => {
  const { answer } = loadCachedScript(join(folder, 'script.cjs'), join(folder, 'code')) as { answer: () => string }
  return answer()
}

test('a script is compiled once, with its functions', () => {
  const folder = tempDir({ 'script.cjs': script('1a', 'a') })
  assert.equal(answerOf(folder), 'a/b')
  assert.deepEqual(readdirSync(join(folder, 'code')), ['1a.code'])
  const code = readFileSync(join(folder, 'code/1a.code'))
  // Machine-independent code of `answer` is in it: its string is, which a lazily compiled script would not hold.
  assert.ok(code.includes('node:path'))
  assert.equal(answerOf(folder), 'a/b')
  assert.deepEqual(readFileSync(join(folder, 'code/1a.code')), code)
})

test('a new version of a script never runs the code of the old one, though it is as long', () => {
  const folder = tempDir({ 'script.cjs': script('1a', 'a') })
  assert.equal(answerOf(folder), 'a/b')
  writeFileSync(join(folder, 'script.cjs'), script('2b', 'c'))
  assert.equal(answerOf(folder), 'c/b')
})

test('a module of Node is loaded when something of it is used, and imports of its default work', () => {
  const folder = tempDir({
    'script.cjs': `//1a\nconst path = require('node:path')\nconst inherited = Object.create(Object.getPrototypeOf(path))
exports.loaded = () => process.moduleLoadList.includes('NativeModule repl')
const repl = require('node:repl')
exports.answer = () => [path.join('a', 'b'), inherited.basename('a/c'), new repl.Recoverable(new Error('x')).err.message].join()`,
  })
  const { loaded, answer } = loadCachedScript(join(folder, 'script.cjs'), join(folder, 'code')) as {
    loaded: () => boolean
    answer: () => string
  }
  assert.equal(loaded(), false)
  assert.equal(answer(), 'a/b,c,x')
  assert.equal(loaded(), true)
})

test('code that V8 refuses is removed, and the script runs all the same', () => {
  const folder = tempDir({ 'script.cjs': script('1a', 'a'), 'code/1a.code': 'of another version' })
  assert.equal(answerOf(folder), 'a/b')
  assert.deepEqual(readdirSync(join(folder, 'code')), [])
})

test('where nothing can be kept, a script runs all the same, and nothing is compiled ahead', () => {
  const folder = tempDir({ 'script.cjs': script('1a', 'a'), code: 'a file, not a folder' })
  const flags = mock.method(v8, 'setFlagsFromString', () => {})
  syncBuiltinESMExports()
  try {
    assert.equal(answerOf(folder), 'a/b')
    assert.equal(flags.mock.callCount(), 0)
  } finally {
    flags.mock.restore()
    syncBuiltinESMExports()
  }
})
