import assert from 'node:assert/strict'
import { visit } from '../bed/browser.ts'
import { ending } from '../bed/command.ts'
import { reportContainer, restarting } from '../bed/failing-pods.ts'
import { program } from '../bed/keelson-program.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { agent } from './agent.ts'
import { type chromiumAndFleet, configMap, kustomization } from './scene.ts'

interface Scene extends Awaited<ReturnType<typeof chromiumAndFleet>> {
  /** The kubeconfig of an account of the hub that may see units. */
  readonly viewer: string
}

/** A unit of which only a runner reaches the cluster, in the console and for agents. */
export const showsBehindRunner = async ({ chromium, on, target, repo, viewer }: Scene): Promise<void> => {
  const unit = (tab = '') => `${on.console}/objects/Kustomization/apps/at-sea${tab && `/${tab}`}`
  const atSea = `${configMap('sail', 'default', 'white')}---
apiVersion: v1
kind: Secret
metadata: {name: chart, namespace: default}
stringData: {password: planted-password}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: crew, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: crew}}
  template:
    metadata: {labels: {app: crew}}
    spec: {containers: [{name: mate, image: 'ghcr.io/acme/mate:1.0.0'}]}
`
  await repo.push({ 'at-sea/all.yaml': atSea })
  const joining = await joinToken(on, 'aurora', 'apps')
  runner(on, target, { cluster: 'apps/aurora', joinToken: joining, flags: ['--live'] })
  const ofRunner = kustomization('at-sea', './at-sea', { target: 'aurora' }).replace('secretRef', 'configMapRef')
  await on.apply(ofRunner)
  await on.kubectl(
    'annotate',
    '--overwrite',
    'gitrepository/fleet',
    '-n',
    'apps',
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  )
  await on.kubectl('wait', 'kustomization/at-sea', '-n', 'apps', '--for=condition=Ready', '--timeout=60s')

  const { page, faults } = await visit(chromium, on)
  await page.goto(unit())
  await page.getByText(/Not shown: configmaps is forbidden: User "kubernetes-admin" cannot list/).waitFor()
  const why = () =>
    ending(process.execPath, [program, 'why', 'ks/at-sea', '-n', 'apps', '--logs', '--kubeconfig', on.kubeconfig])
  const unseen = await why()
  assert.equal(unseen.exitCode, 0, 'the unit is ready, whoever may see its pods')
  assert.match(unseen.stdout, /\nNo pods, as kubernetes-admin sees its cluster: /)
  assert.match(unseen.stdout, /\nNot shown: deployments\.apps is forbidden: User "kubernetes-admin" cannot list/)
  const mayView = ['default', '--clusterrole=view', '--user=kubernetes-admin']
  await target.kubectl('create', 'rolebinding', 'admin-of-hub', '-n', ...mayView)
  const mayReadSecrets = ['--verb=get,list', '--resource=secrets']
  await target.kubectl('create', 'role', 'secrets', '-n', 'default', ...mayReadSecrets)
  await target.kubectl('create', 'rolebinding', 'secrets', '-n', 'default', '--role=secrets', '--user=kubernetes-admin')
  await page.getByText('3 objects, as kubernetes-admin sees them').waitFor()
  await page.getByRole('link', { name: / pods?, 1/ }).click()
  await page.getByText('it serves').waitFor()
  await page.goto(unit('objects'))
  await page.getByRole('link', { name: 'chart', exact: true }).click()
  await page.getByText("password: '***'").or(page.getByText('password: "***"')).first().waitFor()
  await page.getByRole('link', { name: 'Objects', exact: true }).first().click()
  await page.getByRole('link', { name: 'crew', exact: true }).click()
  await page.getByRole('navigation', { name: 'Views of the object' }).getByRole('link', { name: 'Events' }).click()
  await page.getByText('ScalingReplicaSet').first().waitFor()

  await on.kubectl('patch', 'kustomization/at-sea', '-n', 'apps', '--type=merge', '-p', '{"spec":{"suspend":true}}')
  await target.kubectl('delete', 'configmap/sail', '-n', 'default')
  await page.goto(unit('diff'))
  await page.getByRole('link', { name: 'Compare now' }).click()
  await page.getByRole('heading', { name: '1 object on the cluster differs' }).waitFor()
  assert.deepEqual(faults, [])

  const call = await agent(on.kubeconfig)
  const terms = { kind: 'Kustomization', namespace: 'apps', name: 'at-sea' }
  const compared = await call('diff', { ...terms, now: true })
  assert.deepEqual(compared.counts, { created: 1, unchanged: 2 })
  const { pods } = await call('live_objects', terms)
  const [{ name: pod }] = pods as readonly [{ readonly name: string }]
  const { lines } = await call('logs_tail', { ...terms, pod, podNamespace: 'default' })
  assert.equal((lines as readonly string[]).at(-1), 'it serves')
  await reportContainer(target, 'crew', { ...restarting, name: 'mate' })
  assert.match(
    (await why()).stdout,
    /\n1 of 1 pods not ready, as kubernetes-admin sees its cluster:\n\nPod\/default\/crew-\S+ of Deployment\/default\/crew, 3 restarts\n {2}container mate exited with 1 .*\n {4}\| no database\n {4}\| it crashes\n$/,
  )
  const secret = await call('get_live_object', { ...terms, id: 'default_chart__Secret' })
  const everything = JSON.stringify([compared, secret])
  for (const form of ['planted-password', Buffer.from('planted-password').toString('base64')])
    assert.ok(!everything.includes(form), form)

  // An account of the hub is nobody there.
  const { page: accounts } = await visit(chromium, on, { kubeconfig: viewer })
  await accounts.goto(unit())
  await accounts.getByText('means nobody on the cluster: log in as a person').waitFor()
}
