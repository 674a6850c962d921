import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlannedChange } from '../../../../lib/clusters/apply/planned-changes.ts'
import type { ChangePolicy } from '../../../../lib/foundations/kinds/change-policy.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { judgeOpenly } from '../../../../lib/reconcile/policies/open-findings.ts'

const map = (name: string, value: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'web' }, data: { value } }) as KubernetesObject

const configured = (before: KubernetesObject, after: KubernetesObject): PlannedChange => ({
  ref: { group: '', kind: 'ConfigMap', namespace: 'web', name: after.metadata.name },
  ...{ apiVersion: 'v1', action: 'configured', desired: after, states: { before, after } },
})

const policy = (messageExpression: string): ChangePolicy => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'ChangePolicy',
  metadata: { name: 'frozen' },
  spec: { validations: [{ expression: 'false', messageExpression }] },
})

const unit = { apiVersion: 'v1', kind: 'Kustomization', metadata: { name: 'app', namespace: 'apps' } }
const disclosure = { isHidden: () => false, masked: (text: string) => text }
const cluster = { resourceFor: () => Promise.reject(new Error('not served')) }

const judged = async (
  message: string,
  change: PlannedChange,
  builds: { readonly base: readonly KubernetesObject[]; readonly head: readonly KubernetesObject[] },
) =>
  (
    await judgeOpenly(
      [policy(message)],
      { unit, planned: { changes: [change], unchanged: 0 }, disclosure, restraint: {} },
      builds,
      cluster as never,
    )
  ).map(({ message, isOpen }) => [message, isOpen])

test('a message is open only if the repository alone leads to it', async () => {
  const change = configured(map('a', 'by hand'), map('a', '2'))
  const builds = { base: [map('a', '1')], head: [map('a', '2')] }
  assert.deepEqual(await judged("'is ' + object.data.value", change, builds), [['ConfigMap/web/a: is 2', true]])
  assert.deepEqual(await judged("'was ' + oldObject.data.value", change, builds), [
    ['ConfigMap/web/a: was by hand', false],
  ])
})

test('an object whose name only the cluster or a Secret has is not named', async () => {
  const change = configured(map('secret-name', '1'), map('secret-name', '2'))
  const builds = { base: [map('placeholder', '1')], head: [map('placeholder', '2')] }
  assert.deepEqual(await judged("'frozen'", change, builds), [['ConfigMap/web/secret-name: frozen', false]])
})
