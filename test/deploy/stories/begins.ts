import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, patient } from '../deployed-hub.ts'
import { fleet, readyOf, valueIn } from '../fleet.ts'

/** What all other stories begin with: the hub's own objects, and the fleet. */
export function begins({ hubName, emulator, stack, git, target, admin, operator, invoke }: DeployedHub): void {
  describe('begins', () => {
    test('a first tick makes what every hub has', async () => {
      await invoke('tick', {})
      assert.match(await admin.kubectl('get', 'namespaces'), /default +Active/)
    })

    test('the hub fills itself from the root source', async () => {
      await eventually(async () => {
        const root = await admin.get<Kustomization>('kustomization', 'root', '-n', 'keelson-system')
        assert.equal(readyOf(root), 'True ReconciliationSucceeded')
      }, patient)
      assert.equal(await admin.kubectl('get', 'configmap', 'rooted', '-o', 'jsonpath={.data.value}'), 'one')
    })

    test('keelson kubeconfig finds the hub by its stack', async () => {
      const printed = await operator.keelson('kubeconfig', '--hub', hubName, '--region', emulator.region, '--dry-run')
      assert.match(printed, new RegExp(`server: ${stack.outputs.HubUrl.replace(/\/$/, '')}\\n`))
    })

    test('kubectl fills the hub, and a real cluster becomes as git says', async () => {
      const rows = await admin.lines('get', 'kustomizations', '--watch')
      const applied = await admin.apply(fleet(git, target))
      assert.equal(applied.trim().split('\n').length, 5)
      await eventually(async () => {
        const kustomization = await admin.get<Kustomization>('kustomization', 'fleet')
        assert.equal(readyOf(kustomization), 'True ReconciliationSucceeded')
      }, patient)
      assert.deepEqual([await valueIn(target, 'settings'), await valueIn(target, 'extra')], ['one', 'one'])
      // The watch is one streamed answer of the api function: it has told of the steps while they were taken.
      await eventually(() => assert.match(rows.join('\n'), /fleet .*True +Applied revision: main@sha1:/), patient)
      assert.ok(rows.length > 2, rows.join('\n'))
      assert.match(
        await admin.kubectl('get', 'all,gitrepositories,kustomizations'),
        /stored artifact for revision 'main@sha1:/,
      )
    })

    test('our own commands reach the hub with the same kubeconfig', async () => {
      const fleet = ['kustomization', 'fleet', '-n', 'default']
      const tree = await admin.keelson('tree', ...fleet, '--kubeconfig', admin.kubeconfig)
      assert.match(tree, /ConfigMap\/default\/settings/)
    })
  })
}
