import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { branchUnit, configMap, readyOf, valueIn } from '../fleet.ts'

const name = 'windowed'
const path = 'windowed/app.yaml'

const cluster = (windows: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  kubeConfig: {secretRef: {name: ${name}}}
  windows: ${windows}
`

/** A window that is open at any time. */
const freeze = '[{action: Deny, schedule: "* * * * *", duration: 1h, description: freeze}]'

/** Nothing here waits by the clock: all intervals are hours, and the windows of the Cluster change. */
export function waitsForWindows({ admin, target, charts }: DeployedHub): void {
  const unit = () => admin.get<Kustomization>('kustomization', name)
  const waiting = async (): Promise<string> => {
    const condition = (await unit()).status?.conditions?.find(({ type }) => type === 'Waiting')
    return condition ? `${condition.status} ${condition.reason}: ${condition.message}` : ''
  }

  describe('waits for windows', inOrder, () => {
    test('a push in a freeze of the cluster waits, and is not on the cluster', async () => {
      await charts.push({ [path]: configMap(name, 'one') }, { branch: name })
      await admin.apply(`${branchUnit(name, charts.url, target)}---${cluster('[]')}`)
      await eventually(async () => assert.equal(await valueIn(target, name), 'one'), patient)
      await eventually(async () => assert.match(readyOf(await unit()), /^True /), patient)

      await admin.apply(cluster(freeze))
      await charts.push({ [path]: configMap(name, 'two') }, { branch: name })
      const now = `reconcile.fluxcd.io/requestedAt=${Date.now()}`
      await admin.kubectl('annotate', '--overwrite', 'gitrepository', name, now)
      await eventually(async () => assert.match(await waiting(), /^True OutsideWindow: /), patient)
      assert.equal(await valueIn(target, name), 'one')
      assert.match(readyOf(await unit()), /^True /)
    })

    test('it is applied once the freeze is over, without a further push or request', async () => {
      await admin.apply(cluster('[]'))
      await eventually(async () => assert.equal(await valueIn(target, name), 'two'), patient)
      await eventually(async () => assert.equal(await waiting(), ''), patient)
      const { status } = await unit()
      assert.equal(status?.lastAppliedRevision, status?.lastAttemptedRevision)
    })
  })
}
