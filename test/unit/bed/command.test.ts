import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommandFailed, command } from '../../bed/command.ts'

const node = (script: string, options = {}) => command(process.execPath, ['-e', script], options)

test('passes input on and returns what the program printed', async () => {
  assert.equal(await node('process.stdin.pipe(process.stdout)', { input: 'hello' }), 'hello')
})

test('fails with the exit code and both outputs', async () => {
  await assert.rejects(node('console.log("out"); console.error("err"); process.exitCode = 3'), error => {
    assert.ok(error instanceof CommandFailed)
    assert.deepEqual([error.exitCode, error.stdout, error.stderr], [3, 'out\n', 'err\n'])
    assert.match(error.message, /ended with 3: err$/)
    return true
  })
})

test('says when there is no such program', async () => {
  await assert.rejects(command('/no/such/program', []), { code: 'ENOENT' })
})
