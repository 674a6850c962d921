import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { operationOf } from '../../bed/git-server.ts'

const at = (path: string) => new URL(path, 'http://127.0.0.1/repo.git/')
const body = (text: string) => new TextEncoder().encode(text)

test('reports what a client wants', () => {
  const none = body('')
  assert.equal(operationOf(at('info/refs?service=git-upload-pack'), none), 'advertise')
  assert.equal(operationOf(at('git-upload-pack'), body('0014command=ls-refs\n')), 'ls-refs')
  assert.equal(operationOf(at('git-upload-pack'), body('0012command=fetch\n')), 'fetch')
  assert.equal(operationOf(at('git-upload-pack'), body('0032want 0123')), 'fetch')
  assert.equal(operationOf(at('git-receive-pack'), none), 'push')
  assert.equal(operationOf(at('HEAD'), none), 'other')
})

test('reads compressed requests', () => {
  assert.equal(operationOf(at('git-upload-pack'), gzipSync('0014command=ls-refs\n'), 'gzip'), 'ls-refs')
})
