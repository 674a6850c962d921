/** What is on the clusters: objects, pods, events and logs, with the rights that the person has there. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loginLink, visit } from '../bed/browser.ts'
import { command, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { program } from '../bed/keelson-program.ts'
import { serveLogs } from '../bed/kubelet-logs.ts'
import { endWithTest } from '../bed/teardown.ts'
import { agent } from './agent.ts'
import { showsBehindRunner } from './behind-runner.ts'
import { explainsPods } from './explains-pods.ts'
import { chromiumAndFleet, configMap, kustomization, script, tenant } from './scene.ts'
import { accessibilityFaults, overflow, screenshot } from './screenshots.ts'

const { chromium, on, target, repo } = await chromiumAndFleet()

/** Who may see units, and no Runs. */
const viewer = await tenant(on, { namespace: 'apps', role: 'flux-view' })

/** Who may see everything in the namespace, as an account of the hub. */
const account = await tenant(on, { namespace: 'apps', role: 'view' })

const unit = (name: string, tab = '', namespace = 'apps'): string =>
  `${on.console}/objects/Kustomization/${namespace}/${name}${tab && `/${tab}`}`

endWithTest(
  await serveLogs(target, ({ name, container, isPrevious }) =>
    isPrevious ? 'no database\nit crashes\n' : `${name} ${container} began\n${script}\nit serves\n`,
  ),
)

/** A person with a certificate of the hub, who may see units there. */
const person = async (name: string): Promise<string> => {
  const config = await command(process.execPath, [program, 'user', name, '--data', on.dataDirectory])
  const file = join(on.dataDirectory, `${name}.kubeconfig`)
  writeFileSync(file, config, { mode: 0o600 })
  await on.kubectl('create', 'rolebinding', name, '-n', 'apps', '--clusterrole=flux-view', `--user=${name}`)
  return loginLink(file)
}

test('UI-05 the graph leads from the source to the unit, its objects and their pods', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(unit('web-shop'))
  const graph = page.getByRole('region', { name: 'Sources, objects and pods' })
  await graph.getByRole('link', { name: '1 pod, 4.2.0 running' }).waitFor()
  await graph.getByRole('link', { name: 'web Deployment, ready' }).waitFor()
  await graph.getByRole('link', { name: 'fleet GitRepository, ready' }).waitFor()
  await screenshot(page, 'graph-light')
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.equal(await overflow(page), 0)
  await graph.getByRole('link', { name: 'fleet GitRepository, ready' }).click()
  await page.waitForURL(`${on.console}/objects/GitRepository/apps/fleet`)
  assert.deepEqual(faults, [])
})

test('UI-05 an object is shown as it is on the cluster now, with its events; values of Secrets are not', async () => {
  const { page, faults } = await visit(chromium, on)
  await target.kubectl('scale', 'deployment/web', '-n', 'default', '--replicas=3')
  await page.goto(unit('web-shop', 'objects'))
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByText('replicas: 3').first().waitFor()
  await screenshot(page, 'live-light')
  await page.getByRole('navigation', { name: 'Views of the object' }).getByRole('link', { name: 'Events' }).click()
  await page.getByText('ScalingReplicaSet').first().waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})

test('UI-05, MC-03 what is on a cluster behind a runner is shown as on any other, as the person sees it there', () =>
  showsBehindRunner({ chromium, on, target, repo, viewer }))

test('UI-05 who may not read the kubeconfig, and is nobody on the cluster, sees nothing of it', async () => {
  const { page } = await visit(chromium, on, { kubeconfig: account })
  await page.goto(unit('web-shop'))
  await page.getByText('is an account of this hub, and means nobody on the cluster').waitFor()
  assert.equal(await page.getByRole('link', { name: /pod, / }).count(), 0)
})

test('UI-05 a pod shows the last lines of its log, which are text and can be filtered', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(unit('web-shop'))
  await page
    .getByRole('region', { name: 'Sources, objects and pods' })
    .getByRole('link', { name: / pods?, 4/ })
    .click()
  await page.getByText('it serves').waitFor()
  assert.ok((await page.locator('pre.log').textContent())?.includes(`web began${script}`))
  assert.equal(await page.evaluate('document.body.dataset.hit'), undefined)
  await screenshot(page, 'log-light')
  await page.getByRole('searchbox', { name: 'Filter lines' }).fill('serves')
  assert.equal(await page.locator('pre.log').textContent(), 'it serves')
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})

test('UI-05 a person is impersonated on the cluster: what they see is what its roles allow them', async () => {
  const link = await person('jane')
  const { page } = await visit(chromium, on, { link })
  await page.goto(unit('web-shop'))
  await page
    .getByText('Not shown: deployments.apps is forbidden: User "jane" cannot list resource "deployments"')
    .waitFor()
  await target.kubectl('create', 'rolebinding', 'jane', '-n', 'default', '--clusterrole=view', '--user=jane')
  await page.getByText('2 objects, as jane sees them').waitFor()
  await page.getByRole('link', { name: / pods?, 4/ }).click()
  await page.getByText('it serves').waitFor()
  const { response } = await page.evaluate<{ response: string }>(`(async () => {
    const { csrf } = await (await fetch('/console/session')).json()
    const of = async path => (await fetch(path, { headers: { 'x-keelson-csrf': csrf } })).status
    const statuses = [
      await of('/fleet/live?unit=Kustomization/blue/tenant-blue'),
      await of('/fleet/live/object?unit=Kustomization/apps/web-shop&object=kube-system_x__Secret'),
      await of('/fleet/live/object?unit=Kustomization/apps/web-shop&object=kube-system_x__Pod'),
      await of('/fleet/live/log?unit=Kustomization/apps/web-shop&object=kube-system_x__Pod&container=../../x'),
      await of('/fleet/live/object?unit=Kustomization/apps/web-shop&object=../secrets/x__Pod'),
      await of('/fleet/live/object?unit=GitRepository/apps/fleet&object=a_b__Pod'),
    ]
    return { response: statuses.join(' ') }
  })()`)
  assert.equal(response, '403 404 403 403 404 400', 'no parameter leads out of what she may see')
})

test('MC-03 an agent reads the same: health, an object with its events, and the end of a log, as its user on the cluster', async () => {
  const call = await agent(on.kubeconfig)
  const unitTerms = { kind: 'Kustomization', namespace: 'apps', name: 'web-shop' }
  const { pods } = await call('live_objects', unitTerms)
  const [pod] = pods as readonly { readonly name: string; readonly namespace: string }[]
  const of = { ...unitTerms, pod: pod!.name, podNamespace: pod!.namespace }
  assert.deepEqual((await call('logs_tail', { ...of, lines: 1 })).lines, ['it serves'])
  const { object } = await call('get_live_object', { ...unitTerms, id: 'default_web_apps_Deployment' })
  assert.equal((object as { readonly kind: string }).kind, 'Deployment')
  await assert.rejects(call('logs_tail', { ...of, container: 'other' }), /the pod has the containers web/)
  await assert.rejects(call('get_live_object', { ...unitTerms, id: 'kube-system_x__Secret' }), /refused \(404\)/)
  const nobody = await agent(viewer)
  await assert.rejects(nobody('live_objects', unitTerms), /refused \(403\).*means nobody on the cluster/)
})

const watched = { kind: 'Kustomization', namespace: 'apps', name: 'watched' }

test('UI-05, MC-03 a unit shows how its cluster differs from what was applied; values of Secrets are masked', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(unit('web-shop', 'diff'))
  await page.getByText('What is changed on the cluster is corrected with the next pass').waitFor()
  await repo.push({
    'watched/config.yaml': configMap('watched', 'default', 'as in git'),
    'watched/secret.yaml':
      'apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: default}\nstringData: {password: planted-password}\n',
  })
  const reconcile = (object: string) =>
    on.kubectl('annotate', '--overwrite', object, '-n', 'apps', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  await reconcile('gitrepository/fleet')
  await on.apply(
    kustomization('watched', './watched', { meta: ', annotations: {kustomize.keelson.dev/drift: report}' }),
  )
  await on.kubectl('wait', 'kustomization/watched', '-n', 'apps', '--for=condition=Ready', '--timeout=60s')
  await page.goto(unit('watched', 'diff'))
  await page.getByText('What is changed on the cluster is reported here').waitFor()

  const patch = (object: string, body: object) =>
    target.kubectl('patch', object, '--type=merge', '--field-manager=incident-bot', '-p', JSON.stringify(body))
  await patch('configmap/watched', { data: { text: 'as changed at night' } })
  await patch('secret/login', { stringData: { password: 'changed-password' } })
  await reconcile('kustomization/watched')
  await page.getByRole('heading', { name: '2 objects on the cluster differ' }).waitFor()
  const text = (await page.getByRole('region', { name: 'Diff' }).textContent()) ?? ''
  for (const part of [
    'as changed at night',
    'as in git',
    ' was set by incident-bot',
    'data.password',
    'watched/config.yaml',
  ])
    assert.ok(text.includes(part), `${part} in ${text}`)
  await screenshot(page, 'diff-light')
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.equal(await overflow(page), 0)
  assert.deepEqual(faults, [])

  const call = await agent(on.kubeconfig)
  const found = await call('diff', watched)
  const objects = found.objects as readonly { readonly name: string; readonly fields: readonly object[] }[]
  const fieldsOf = (name: string) => objects.find(object => object.name === name)?.fields[0]
  const { changedAt: _, ...config } = fieldsOf('watched') as Record<string, unknown>
  assert.deepEqual(config, {
    path: 'data.text',
    live: 'as changed at night',
    desired: 'as in git',
    manager: 'incident-bot',
  })
  const { changedAt: __, ...secret } = fieldsOf('login') as Record<string, unknown>
  assert.deepEqual(secret, { path: 'data.password', live: '***', desired: '***', manager: 'incident-bot' })
  const everything = text + JSON.stringify(found)
  for (const value of ['planted-password', 'changed-password'])
    for (const form of [value, Buffer.from(value).toString('base64')]) assert.ok(!everything.includes(form), form)

  await patch('configmap/watched', { data: { text: script } })
  await reconcile('kustomization/watched')
  await page.getByText(script).waitFor()
  assert.equal(await page.evaluate('document.body.dataset.hit'), undefined)
  assert.deepEqual(faults, [])
})

test('UI-05, MC-03 a unit is compared with what it applied last, on demand, in the console, by an agent and by keelson drift', async () => {
  const { page, faults } = await visit(chromium, on)
  await target.kubectl('scale', 'deployment/web', '-n', 'default', '--replicas=5')
  await target.kubectl('delete', 'configmap/web-env', '-n', 'default')
  await page.goto(unit('web-shop', 'diff'))
  await page.getByText('No difference is reported').waitFor()
  await page.getByRole('link', { name: 'Compare now' }).click()
  await page.getByRole('heading', { name: '2 objects on the cluster differ' }).waitFor()
  await page.getByRole('region', { name: 'Changes' }).getByRole('link', { name: 'Deployment default/web' }).click()
  const text = (await page.getByRole('region', { name: 'Changes' }).textContent()) ?? ''
  for (const part of ['spec.replicas', '− 5', '+ 1', 'web/deployment.yaml'])
    assert.ok(text.includes(part), `${part} in ${text}`)
  await page.getByText(/was applied last: main@sha1:/).waitFor()
  await screenshot(page, 'comparison-light')
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.equal(await overflow(page), 0)

  const call = await agent(on.kubeconfig)
  const webShop = { kind: 'Kustomization', namespace: 'apps', name: 'web-shop', now: true }
  const { objects } = await call('diff', webShop)
  const [deployment] = (objects as readonly { readonly kind: string }[]).filter(({ kind }) => kind === 'Deployment')
  const { fields } = deployment as unknown as { readonly fields: readonly Record<string, string>[] }
  assert.deepEqual(
    fields.map(({ path, live, desired }) => [path, live, desired]),
    [['spec.replicas', '5', '1']],
  )
  const drift = ['drift', 'kustomization/web-shop', '-n', 'apps', '--kubeconfig', on.kubeconfig]
  const printed = await ending(process.execPath, [program, ...drift])
  assert.equal(printed.exitCode, 1, printed.stderr)
  assert.match(printed.stdout, /^Kustomization\/apps\/web-shop differs from main@sha1:\w+, which was applied last\n/)
  assert.match(printed.stdout, /ConfigMap\/default\/web-env created \(from web\/config.yaml\)/)
  assert.match(printed.stdout, /spec\.replicas: 5 -> 1/)

  await on.kubectl(
    'annotate',
    '--overwrite',
    'kustomization/web-shop',
    '-n',
    'apps',
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  )
  await eventually(async () => {
    await page.getByRole('button', { name: 'Compare again' }).click()
    await page.getByRole('heading', { name: 'The cluster is as it was applied' }).waitFor({ timeout: 5_000 })
  })
  assert.equal((await ending(process.execPath, [program, ...drift])).exitCode, 0)
  assert.deepEqual(faults, [])

  await page.goto(`${unit('watched', 'diff')}?compare=now`)
  await page.getByRole('link', { name: 'Secret default/login' }).click()
  const masked = (await page.getByRole('region', { name: 'Changes' }).textContent()) ?? ''
  assert.ok(masked.includes('data.password') && masked.includes('− ***') && masked.includes('+ ***'), masked)
  const everything = masked + JSON.stringify(await call('diff', { ...watched, now: true }))
  for (const value of ['planted-password', 'changed-password'])
    for (const form of [value, Buffer.from(value).toString('base64')]) assert.ok(!everything.includes(form), form)

  await on.kubectl('delete', 'configmap/of-us-east', '-n', 'apps')
  await page.goto(`${on.console}/objects/ResourceSet/apps/per-region/diff`)
  await page.getByRole('link', { name: 'Compare now' }).click()
  await page.getByRole('heading', { name: '1 object on the cluster differs' }).waitFor()
  await page.getByText(/was applied last: sha256:/).waitFor()
  await page.getByRole('heading', { name: 'ConfigMap apps/of-us-east' }).waitFor()
  const { desired, counts } = await call('diff', {
    kind: 'ResourceSet',
    namespace: 'apps',
    name: 'per-region',
    now: true,
  })
  assert.deepEqual([desired, counts], ['AppliedLast', { created: 1, unchanged: 1 }])
  assert.deepEqual(faults, [])
})

test('UI-05, MC-03 who may not read a unit sees no difference of it, and who may not read Runs no values', async () => {
  const { page } = await visit(chromium, on, { kubeconfig: viewer })
  await page.goto(unit('watched', 'diff'))
  await page.getByText('The values are not shown: runs.fleet.keelson.dev is forbidden').waitFor()
  await page.getByText('ConfigMap/default/watched has other data.text').waitFor()
  await page.getByText(/No comparison on demand: .* may not list plans in the namespace apps/).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Compare now' }).count(), 0)
  await page.goto(`${unit('watched', 'diff')}?compare=now`)
  await page.getByText('plans.fleet.keelson.dev is forbidden').waitFor()
  await page.goto(unit('tenant-blue', 'diff', 'blue'))
  await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
  const call = await agent(viewer)
  assert.match(String((await call('diff', watched)).refused), /cannot list resource "runs"/)
  await assert.rejects(call('diff', { ...watched, now: true }), /refused \(403\).*cannot list resource \\*"plans/)
  await assert.rejects(call('diff', { ...watched, namespace: 'blue', name: 'tenant-blue' }), /The hub refused \(403\)/)
})

test('UI-05 keelson why says that pods may be the cause, and shows with --logs which fail, and their last lines', () =>
  explainsPods({ on, target, repo, account }))
