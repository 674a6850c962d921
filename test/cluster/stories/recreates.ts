import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyAll } from '../../../lib/clusters/apply/apply-all.ts'
import { describeHealth } from '../../../lib/clusters/apply/health.ts'
import { type ApplyBed, owner } from '../apply-bed.ts'

/** Changes that no update can make. */
export function recreates({ target, space, apply }: ApplyBed): void {
  test('KS-207..210 recreates an object for a change that is refused as an update only if requested', async () => {
    const { configMap, object, live, namespace } = await space()
    const immutable = { immutable: true }
    const forced = { annotations: { 'kustomize.toolkit.fluxcd.io/force': 'enabled' } }
    await apply([configMap('a', { k: '1' }, {}, immutable), configMap('f', { k: '1' }, forced, immutable)])
    const { uid } = (await live('configmap', 'f')).metadata

    const changed = [configMap('a', { k: '2' }, {}, immutable)]
    await assert.rejects(apply(changed), {
      message: `ConfigMap/${namespace}/a dry-run failed (Invalid): ConfigMap "a" is invalid: data: Forbidden: field is immutable when \`immutable\` is set`,
    })
    assert.deepEqual(await apply(changed, { force: true }), [`ConfigMap/${namespace}/a created`])
    assert.deepEqual(await apply([configMap('f', { k: '2' }, forced, immutable)]), [`ConfigMap/${namespace}/f created`])
    assert.notEqual((await live('configmap', 'f')).metadata.uid, uid)

    const service = (port: number, clusterIP?: string) =>
      object('v1', 'Service', 's', { spec: { ports: [{ port }], ...(clusterIP && { clusterIP }) } })
    await apply([service(80)])
    const before = (await live('service', 's')).metadata.uid
    await assert.rejects(apply([service(99999)], { force: true }), /must be between 1 and 65535/)
    await assert.rejects(apply([service(99999, 'None')], { force: true }), /must be between 1 and 65535/)
    assert.deepEqual(await apply([service(81)], { force: true }), [`Service/${namespace}/s configured`])
    assert.equal(
      (await live('service', 's')).metadata.uid,
      before,
      'what would be invalid anyway, or can be updated, stays',
    )
    assert.deepEqual(await apply([service(81, 'None')], { force: true }), [`Service/${namespace}/s created`])
  })

  test('an object that is to be recreated and does not go is waited for, later', async () => {
    const { configMap, namespace } = await space()
    const held = configMap('a', { k: '1' }, { finalizers: ['example.com/hold'] }, { immutable: true })
    await apply([held])
    const { changes, waitingFor } = await applyAll(target, [{ ...held, data: { k: '2' } }], {
      fieldManager: 'kustomize-controller',
      owner,
      recorded: new Set(),
      clock: { now: Date.now, monotonic: impatient(), sleep: async () => {} },
      force: true,
    })
    assert.deepEqual(
      [changes, waitingFor.map(describeHealth)],
      [[], [`ConfigMap/${namespace}/a status: 'Terminating'`]],
    )
  })
}

/** A clock that runs ten seconds at every look. */
const impatient = () => {
  let now = 0
  return () => (now += 10_000)
}
