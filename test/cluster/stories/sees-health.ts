import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHealth, describeHealth } from '../../../lib/clusters/apply/health.ts'
import { refOf } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import { type ApplyBed, owner } from '../apply-bed.ts'
import { deployment } from '../manifests.ts'

/** How what was applied fares. */
export function seesHealth({ target, space, apply }: ApplyBed): void {
  test('KS-093, KS-100 reads the health of all objects in one poll', async () => {
    const { configMap, object, namespace } = await space()
    const held = { annotations: { 'testcluster/hold': 'unready' } }
    const objects = [configMap('a'), deployment(object, 'web'), deployment(object, 'held', held)]
    await apply(objects)
    const unknown = { apiVersion: 'example.com/v1', ref: { group: 'example.com', kind: 'No', namespace, name: 'x' } }
    const missing = { apiVersion: 'v1', ref: { group: '', kind: 'ConfigMap', namespace, name: 'missing' } }
    const targets = [
      ...objects.map(object => ({ apiVersion: object.apiVersion, ref: refOf(object) })),
      unknown,
      missing,
    ]
    await eventually(async () => {
      const health = await checkHealth(target, targets, { now: Date.now(), owner })
      assert.deepEqual(health.map(describeHealth), [
        `ConfigMap/${namespace}/a status: 'Current'`,
        `Deployment/${namespace}/web status: 'Current'`,
        `Deployment/${namespace}/held status: 'InProgress'`,
        `No/${namespace}/x status: 'Unknown': no matches for kind "No" in group "example.com"`,
        `ConfigMap/${namespace}/missing status: 'NotFound'`,
      ])
    })
  })
}
