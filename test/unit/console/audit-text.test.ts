import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  actionText,
  happenings,
  objectOfEntry,
  stateOfEntry,
  userOfEntry,
} from '../../../lib/console/model/audit-text.ts'
import type { AuditEntry } from '../../../lib/foundations/fleet/audit-entry.ts'
import type { Run } from '../../../lib/foundations/kinds/run.ts'

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ at: '2026-11-29T14:02:00.000Z', id: 'x', user: 'jane', verb: 'patch', code: 200 },
  ...{
    group: 'kustomize.toolkit.fluxcd.io',
    version: 'v1',
    resource: 'kustomizations',
    namespace: 'apps',
    name: 'web',
  },
  ...more,
})

test('an entry says who did what to which object, with what result', () => {
  assert.equal(actionText(entry()), 'changed')
  assert.equal(actionText(entry({ action: 'suspended: we measure' })), 'suspended: we measure')
  assert.equal(actionText(entry({ verb: 'create', subresource: 'token' })), 'created its token')
  assert.equal(actionText(entry({ verb: 'delete', code: 403, message: 'may not' })), 'delete refused: may not')
  assert.equal(userOfEntry(entry({ as: 'bot' })), 'jane, as bot')
  assert.deepEqual(stateOfEntry(entry()), { state: 'ready', word: 'Done' })
  assert.deepEqual(stateOfEntry(entry({ code: 409, reason: 'Conflict' })), { state: 'failing', word: 'Conflict' })
  assert.deepEqual(stateOfEntry(entry({ code: 500 })), { state: 'failing', word: 'Refused (500)' })
})

test('an object leads to its page if it has one, and was not deleted', () => {
  const href = '/objects/Kustomization/apps/web'
  assert.deepEqual(objectOfEntry(entry()), { name: 'web', what: 'Kustomization in apps', href })
  assert.deepEqual(objectOfEntry(entry({ verb: 'delete' })), { name: 'web', what: 'Kustomization in apps' })
  assert.equal(objectOfEntry(entry({ verb: 'delete', code: 403 })).href, href)
  const { name: _, ...all } = entry({ verb: 'deletecollection' })
  assert.deepEqual(objectOfEntry(all), { name: 'kustomizations', what: 'Kustomization in apps' })
  const secret = entry({ group: '', resource: 'secrets', name: 'token' })
  assert.deepEqual(objectOfEntry(secret), { name: 'token', what: 'Secret in apps' })
  const { namespace: __, ...custom } = entry({ group: 'example.com', resource: 'widgets' })
  assert.deepEqual(objectOfEntry(custom), { name: 'web', what: 'widgets' })
})

test('requests and runs are in one order of time, a request before the run that it caused', () => {
  const run = (startedAt: string) => ({ startedAt }) as Run
  const at = (second: string) => `2026-11-29T14:02:0${second}Z`
  const rows = happenings([entry({ at: at('3.000') }), entry({ at: at('1.000') })], [run(at('3.000')), run(at('2'))])
  assert.deepEqual(
    rows.map(row => `${row.run ? 'run' : 'request'} ${row.at.slice(17)}`),
    ['request 01.000Z', 'run 02Z', 'request 03.000Z', 'run 03.000Z'],
  )
})
