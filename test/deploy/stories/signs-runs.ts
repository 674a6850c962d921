import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Run } from '../../../lib/foundations/kinds/run.ts'
import { publicKeysIn, type Verification, verifyReceipt } from '../../../lib/foundations/rules/verify-receipt.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { branchUnit, configMap } from '../fleet.ts'

const name = 'signed'

const release = {
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name, namespace: 'default' },
  spec: {
    interval: '1h',
    kubeConfig: { secretRef: { name } },
    chart: { spec: { chart: './chart', interval: '1h', sourceRef: { kind: 'GitRepository', name } } },
  },
}

const set = {
  apiVersion: 'fluxcd.controlplane.io/v1',
  kind: 'ResourceSet',
  metadata: { name, namespace: 'default' },
  spec: {
    resources: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'signed-set', namespace: 'default' } }],
  },
}

/** Receipts of the functions that record Runs, by a key that KMS seals for them. */
export function signsRuns({ hubName, account, admin, target, charts }: DeployedHub): void {
  const runsOf = async (kind: string): Promise<readonly Run[]> => {
    const selector = `unit.kind=${kind},unit.name=${name}`
    const { items } = await admin.get<{ items: readonly Run[] }>('runs', '-n', 'default', '--field-selector', selector)
    return items.filter(({ finishedAt }) => finishedAt)
  }
  const verified = async (runs: readonly Run[]): Promise<readonly Verification[]> => {
    const keys = publicKeysIn(await admin.kubectl('get', '--raw', '/receipts/keys.pem'))
    return runs.map(run => verifyReceipt(run, keys))
  }
  const keyIds = (results: readonly Verification[]) => [
    ...new Set(results.map(result => (result.verified ? result.keyId : result.reason))),
  ]
  const before: Run[] = []

  describe('signs Runs', inOrder, () => {
    test('apply, helmrelease and resourceset sign with one key, which the API serves', async () => {
      await charts.push(
        {
          [`${name}/app.yaml`]: configMap(name, 'one'),
          'chart/Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
          'chart/templates/map.yaml': configMap('signed-release', 'one'),
        },
        { branch: name },
      )
      await admin.apply(branchUnit(name, charts.url, target))
      for (const object of [release, set]) await admin.apply(JSON.stringify(object))
      for (const kind of ['Kustomization', 'HelmRelease', 'ResourceSet'])
        before.push(
          await eventually(async () => {
            const found = (await runsOf(kind)).find(({ counts }) => counts.created)
            assert.ok(found, kind)
            return found
          }, patient),
        )
      const [only, ...others] = keyIds(await verified(before))
      assert.match(only ?? '', /^[0-9a-f]{16}$/)
      assert.deepEqual(others, [])
    })

    test('keelson verify trusts the keys of the hub; a Run that was changed is refused', async () => {
      const names = before.map(({ metadata }) => metadata.name)
      const format = ['-o', 'json', '-n', 'default', '--kubeconfig', admin.kubeconfig]
      const found = JSON.parse(await admin.keelson('verify', ...names, ...format)) as { readonly verified: boolean }[]
      assert.deepEqual(
        found.map(({ verified }) => verified),
        [true, true, true],
      )
      const [run] = before
      const [result] = await verified([{ ...run!, revision: 'main@sha1:0' }])
      assert.equal(result?.verified, false)
    })

    test('an administrator replaces the key: processes that begin sign with it, and what the old one has signed stays verifiable', async () => {
      const answer = await admin.kubectl('create', '--raw', '/receipts/keys', '-f', '/dev/null')
      const { keyId } = JSON.parse(answer) as { readonly keyId: string }
      const [only, ...others] = keyIds(await verified(before))
      assert.match(only ?? '', /^[0-9a-f]{16}$/)
      assert.notEqual(only, keyId)
      assert.deepEqual(others, [])

      await account.restart(`${hubName}-apply`)
      await charts.push({ [`${name}/app.yaml`]: configMap(name, 'two') }, { branch: name })
      const now = `reconcile.fluxcd.io/requestedAt=${Date.now()}`
      await admin.kubectl('annotate', '--overwrite', 'gitrepository', name, now)
      const next = await eventually(async () => {
        const found = (await runsOf('Kustomization')).find(({ counts }) => counts.configured)
        assert.ok(found, 'the second revision')
        return found
      }, patient)
      assert.deepEqual(keyIds(await verified([next])), [keyId], 'a new process signs with the new key')
    })
  })
}
