import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireNamespaceAllowed } from '../../../../lib/hub/references/access-denied.ts'
import { actingAccount, impersonationOf } from '../../../../lib/hub/references/acting-account.ts'

const unit = (namespace: string, serviceAccountName?: string) => ({
  metadata: { namespace },
  spec: serviceAccountName === undefined ? {} : { serviceAccountName },
})
const userOf = (...args: Parameters<typeof actingAccount>) => impersonationOf(actingAccount(...args))?.user

test('an object acts as the account that it names, else as the default one, else as the hub; in its own namespace always', () => {
  const settings = { defaultServiceAccount: 'default', ownNamespace: 'system' }
  assert.equal(userOf(unit('team', 'deployer'), settings), 'system:serviceaccount:team:deployer')
  assert.equal(userOf(unit('team'), settings), 'system:serviceaccount:team:default')
  assert.equal(userOf(unit('team', ''), settings), 'system:serviceaccount:team:default')
  assert.equal(userOf(unit('team'), {}), undefined)
})

test("in the hub's own namespace only an account that is named counts", () => {
  const settings = { defaultServiceAccount: 'default', ownNamespace: 'system' }
  assert.equal(userOf(unit('system'), settings), undefined)
  assert.equal(userOf(unit('system', 'deployer'), settings), 'system:serviceaccount:system:deployer')
})

test('references to other namespaces, and to all, are refused where the operator forbids them', () => {
  const refer = (namespace: string, noCrossNamespaceRefs: boolean) =>
    requireNamespaceAllowed({ kind: 'Bucket', namespace, name: 'a' }, 'team', { noCrossNamespaceRefs })
  refer('team', true)
  refer('other', false)
  refer('*', false)
  for (const namespace of ['other', '*', '', 'team/../other'])
    assert.throws(() => refer(namespace, true), {
      name: 'AccessDenied',
      message: `can't access 'Bucket/${namespace}/a', cross-namespace references have been blocked`,
    })
})
