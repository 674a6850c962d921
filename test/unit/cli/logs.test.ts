import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { logsCommand } from '../../../lib/cli/commands/logs.ts'

const app = { kind: 'Kustomization', namespace: 'flux-system', name: 'app' }
const log = [
  { level: 'info', ts: '2026-01-01T00:00:00.000Z', msg: 'reconciled', ...app, outcome: 'done', durationMs: 12 },
  {
    level: 'error',
    ts: '2026-01-01T00:01:00.000Z',
    msg: 'reconciled',
    ...app,
    reason: 'BuildFailed',
    error: 'no such file',
  },
  { level: 'info', ts: '2026-01-01T00:02:00.000Z', msg: 'reconciled', ...app, namespace: 'other' },
  { level: 'ERROR', timestamp: '2026-01-01T00:03:00.000Z', message: 'reconciled', ...app, kind: 'GitRepository' },
  { level: 'info', ts: '2026-01-01T00:04:00.000Z', msg: 'webhook received', receiver: 'flux-system/github' },
]

const shown = async (...args: string[]): Promise<readonly string[]> => {
  const output = new PassThrough()
  const lines = [...log.map(line => JSON.stringify(line)), 'no JSON', '7'].join('\n')
  await logsCommand({}, { input: Readable.from([lines]), output }).parseAsync(args, { from: 'user' })
  output.end()
  const text = (await output.toArray()).join('')
  return text.split('\n').filter(line => line !== '')
}

test('KS-301 shows the log lines of one object, and of one level', async () => {
  assert.deepEqual(await shown('--kind', 'kustomization', '--name', 'app'), [
    '2026-01-01T00:00:00.000Z info Kustomization/app.flux-system - reconciled outcome=done durationMs=12',
    '2026-01-01T00:01:00.000Z error Kustomization/app.flux-system - BuildFailed reconciled no such file',
  ])
  assert.equal((await shown('--kind', 'Kustomization', '--name', 'app', '--level', 'error')).length, 1)
  assert.equal((await shown('--name', 'app', '-A')).length, 4)
})

test('reads what Lambda functions log too, and shows everything without filters', async () => {
  assert.deepEqual(await shown('--kind', 'GitRepository', '--level', 'error'), [
    '2026-01-01T00:03:00.000Z error GitRepository/app.flux-system - reconciled',
  ])
  assert.equal((await shown()).length, 5)
})
