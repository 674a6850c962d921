import assert from 'node:assert/strict'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { reportContainer, restarting, stuckDeployment, withoutImage } from '../bed/failing-pods.ts'
import { program } from '../bed/keelson-program.ts'
import { agent } from './agent.ts'
import { type chromiumAndFleet, kustomization } from './scene.ts'

const stuckRelease = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: stuck-release, namespace: apps}
spec:
  interval: 1h
  kubeConfig: {secretRef: {name: prod}}
  storageNamespace: default
  targetNamespace: default
  chart: {spec: {chart: ./stuck-chart, sourceRef: {kind: GitRepository, name: fleet}}}
`

interface Scene extends Pick<Awaited<ReturnType<typeof chromiumAndFleet>>, 'on' | 'target' | 'repo'> {
  /** The kubeconfig of an account of the hub that may see everything in the namespace. */
  readonly account: string
}

/** A Kustomization and a HelmRelease whose pods fail, on a cluster that the hub reaches itself: `keelson why --logs`, and the same for agents. */
export const explainsPods = async ({ on, target, repo, account }: Scene): Promise<void> => {
  await repo.push({
    'stuck/deployment.yaml': stuckDeployment('stuck'),
    'stuck-chart/Chart.yaml': 'apiVersion: v2\nname: stuck\nversion: 1.0.0\n',
    'stuck-chart/templates/deployment.yaml': stuckDeployment('stuck-release'),
  })
  const requested = `reconcile.fluxcd.io/requestedAt=${Date.now()}`
  await on.kubectl('annotate', '--overwrite', 'gitrepository/fleet', '-n', 'apps', requested)
  await on.apply(kustomization('stuck', './stuck', { more: '  wait: true\n' }) + stuckRelease)
  const [crashing, missing] = await Promise.all([
    reportContainer(target, 'stuck', restarting),
    reportContainer(target, 'stuck-release', withoutImage),
  ])
  const why = (kubeconfig: string, ...args: readonly string[]) =>
    ending(process.execPath, [program, 'why', ...args, '-n', 'apps', '--kubeconfig', kubeconfig])
  for (const name of ['kustomization/stuck', 'helmrelease/stuck-release'])
    await eventually(async () => {
      const { stdout, exitCode } = await why(on.kubeconfig, name)
      assert.match(stdout, /\nAdd --logs to see which pods are not ready, and the last lines of their containers\.\n$/)
      assert.equal(exitCode, 1)
    })
  const { stdout, exitCode } = await why(on.kubeconfig, 'kustomization/stuck', '--logs', '--tail', '1')
  assert.equal(exitCode, 1)
  assert.match(stdout, /^Kustomization\/apps\/stuck is /)
  assert.equal(
    stdout.slice(stdout.indexOf('1 of')),
    `1 of 1 pods not ready:

Pod/default/${crashing} of Deployment/default/stuck, 3 restarts
  container web exited with 1 (Error), and waits: CrashLoopBackOff: back-off 5m0s restarting failed container
    | it crashes
`,
  )
  const release = await why(on.kubeconfig, 'helmrelease/stuck-release', '--logs')
  assert.equal(
    release.stdout.slice(release.stdout.indexOf('1 of')),
    `1 of 1 pods not ready:

Pod/default/${missing} of Deployment/default/stuck-release
  container web waits: ImagePullBackOff: Back-off pulling image "example.com/web"
`,
  )

  const nobody = await why(account, 'kustomization/stuck', '--logs')
  assert.equal(nobody.exitCode, 1, nobody.stderr)
  assert.match(nobody.stdout, /\nIts pods can't be read: .* means nobody on the cluster: log in as a person, or get/)
  assert.match((await why(account, 'gitrepository/fleet', '--logs')).stderr, /--logs is not for a GitRepository/)

  // An agent gets the log of the container that fails, and that of its previous run.
  const call = await agent(on.kubeconfig)
  const of = { kind: 'Kustomization', namespace: 'apps', name: 'stuck', pod: crashing, podNamespace: 'default' }
  assert.deepEqual((await call('logs_tail', { ...of, previous: true })).lines, ['no database', 'it crashes'])
}
