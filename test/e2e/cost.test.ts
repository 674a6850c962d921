/** `keelson cost`: what passes over a real cluster use, and to whom it is shown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageOf } from '../../lib/foundations/rules/usage.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 2s, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: stranger, namespace: default}
---`

test('CL-010 what a unit uses on its cluster is counted, at rest as well, and shown by namespace and by cluster to who may list its Runs', async () => {
  const files = {
    'app/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {a: b}\n',
  }
  const [target, on, repo] = await Promise.all([cluster(), hub(), gitRepo(files)])
  const cost = async (...args: readonly string[]) =>
    ending(process.execPath, [program, 'cost', ...args, '--kubeconfig', on.kubeconfig])
  const usageOf = async (): Promise<UsageOf | undefined> => {
    const { stdout } = await cost('-n', 'default', '--by', 'both', '-o', 'json')
    return (JSON.parse(stdout).items as readonly UsageOf[]).find(({ cluster }) => cluster === 'Secret/default/prod')
  }
  await on.apply(kubeconfigSecret('prod', target) + appRepository(repo) + unit)
  let first: UsageOf | undefined
  await eventually(async () => {
    first = await usageOf()
    assert.ok(
      first && first.passes >= 1 && first.ms > 0 && first.requests >= 2 && first.bytes > 200,
      JSON.stringify(first),
    )
  })
  await eventually(async () => {
    const later = (await usageOf())!
    assert.ok(later.passes >= first!.passes + 2 && later.requests > first!.requests, JSON.stringify([first, later]))
  })
  const byCluster = await cost('-A', '--by', 'cluster')
  assert.match(byCluster.stdout, /^CLUSTER +PASSES +SECONDS +REQUESTS +BYTES\n/)
  assert.match(byCluster.stdout, /^Secret\/default\/prod +\d+ +\d+ +\d+ +[\d.]+ k?M?B$/m)
  assert.match((await cost('-A')).stdout, /^NAMESPACE +PASSES[^\n]*\n(.*\n)*default +\d+/)
  const metrics = await on.kubectl('get', '--raw', '/metrics')
  assert.match(metrics, /^keelson_usage_requests_total\{namespace="default",cluster="Secret\/default\/prod"\} \d+$/m)

  const stranger = ['--as', 'system:serviceaccount:default:stranger']
  const refused = await cost('-n', 'default', ...stranger)
  assert.deepEqual([refused.exitCode, refused.stdout], [2, 'No passes found.\n'])
  assert.match(refused.stderr, /^Error from server \(Forbidden\): runs\.fleet\.keelson\.dev is forbidden/)
  assert.equal((await cost('-A', ...stranger)).stdout, 'No passes found.\n')
})
