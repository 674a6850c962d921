import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Comparison } from '../../../lib/foundations/fleet/comparison.ts'
import type { LiveTree } from '../../../lib/foundations/fleet/live.ts'
import { browser } from '../../bed/browser.ts'
import { eventually } from '../../bed/eventually.ts'
import { reportContainer, restarting } from '../../bed/failing-pods.ts'
import { serveLogs } from '../../bed/kubelet-logs.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { branchUnit, configMap, readyOf, type WithConditions } from '../fleet.ts'
import { logInAtIssuer } from '../log-in-at-issuer.ts'

const name = 'viewed'

const files = {
  [`${name}/config.yaml`]: configMap(name, 'one'),
  [`${name}/deployment.yaml`]: `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: web, image: 'ghcr.io/acme/web:4.2.0'}]}
`,
}

const devsMayView = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: devs-view, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: flux-view}
subjects: [{kind: Group, name: 'oidc:devs', apiGroup: rbac.authorization.k8s.io}]
`

/** What is on the clusters of a hub on AWS, which a function of its own reads: the API server has no access to them. */
export function readsClusters(hub: DeployedHub): void {
  const { admin, target, charts, stranger, url } = hub
  const live = async (path: string) =>
    JSON.parse(await admin.kubectl('get', '--raw', `/fleet/live${path}`)) as LiveTree & { readonly as?: string }

  describe('reads what is on clusters', inOrder, () => {
    test('UI-05 an administrator reads with the access that is stored, and what has never been applied is not there', async () => {
      await charts.push(files, { branch: name })
      await admin.apply(`${branchUnit(name, charts.url, target)}---${devsMayView}`)
      await eventually(async () => {
        assert.match(readyOf(await admin.get<WithConditions>('kustomization', name)), /^True /)
      }, patient)
      const unit = `unit=Kustomization/default/${name}`
      await eventually(async () => {
        const { objects, pods, as } = await live(`?${unit}`)
        assert.deepEqual(objects.map(({ kind, state }) => `${kind} ${state}`).sort(), [
          'ConfigMap ready',
          'Deployment ready',
        ])
        assert.deepEqual([pods.length, as], [1, undefined])
      }, patient)
      const refused = async (path: string) => (await admin.ending('get', '--raw', `/fleet/live${path}`)).stderr
      assert.match(
        await refused(`/object?${unit}&object=default_target__Secret`),
        /has no object default_target__Secret/,
      )
      assert.match(await refused('?unit=Kustomization/default/none'), /"none" not found/)
      const root = '?unit=Kustomization/keelson-system/root'
      const ofHub = await live(root)
      // In the namespace default another story lets the stranger view objects.
      assert.match((await stranger.ending('get', '--raw', `/fleet/live${root}`)).stderr, /Forbidden|forbidden/)
      assert.ok(ofHub.objects.length > 0)
    })

    test('UI-05 a unit is compared with its cluster by the function that applies it', async () => {
      const unit = `unit=Kustomization/default/${name}`
      const compared = async () =>
        JSON.parse(await admin.kubectl('get', '--raw', `/fleet/live/diff?${unit}`)) as Comparison
      assert.deepEqual((await compared()).counts, { unchanged: 2 })
      await target.kubectl('scale', `deployment/${name}`, '--replicas=3')
      const { revision, changes } = await compared()
      assert.match(revision, new RegExp(`^${name}@sha1:`))
      assert.deepEqual(
        changes.map(({ kind, action, origin, fields }) => [kind, action, origin, fields?.[0]?.path]),
        [['Deployment', 'configured', `${name}/deployment.yaml`, 'spec.replicas']],
      )
      assert.deepEqual([changes[0]!.fields?.[0]?.before, changes[0]!.fields?.[0]?.after], ['3', '1'])
      const root = await stranger.ending('get', '--raw', '/fleet/live/diff?unit=Kustomization/keelson-system/root')
      assert.match(root.stderr, /Forbidden|forbidden/)
    })

    test('UI-05 a person sees objects, pods and logs as the roles of the cluster allow', async () => {
      endWithTest(
        await serveLogs(target, ({ container, isPrevious }) =>
          isPrevious ? 'no database\n' : `${container} began\nit serves\n`,
        ),
      )
      const page = await logInAtIssuer(hub, await (await browser()).newContext({ ignoreHTTPSErrors: true }))
      await page.locator('.me').getByText('oidc:jane').waitFor({ timeout: 120_000 })
      await page.goto(`${url}/objects/Kustomization/default/${name}`)
      const refusal = 'Not shown: deployments.apps is forbidden: User "oidc:jane" cannot list resource "deployments"'
      await page.getByText(refusal).waitFor({ timeout: 120_000 })
      await target.kubectl('create', 'rolebinding', name, '--clusterrole=view', '--user=oidc:jane')
      await page.getByText('2 objects, as oidc:jane sees them').waitFor({ timeout: 120_000 })
      await page.getByRole('link', { name: / pods?, 4/ }).click()
      await page.getByText('it serves').waitFor({ timeout: 120_000 })
      await eventually(async () => {
        const pod = await reportContainer(target, name, restarting)
        const unit = [`kustomization/${name}`, '-n', 'default', '--kubeconfig', admin.kubeconfig]
        const why = await admin.keelson('why', ...unit, '--logs')
        assert.match(
          why,
          new RegExp(`Pod/default/${pod} of Deployment/default/${name}, 3 restarts\n.*\n +\\| no database\n`),
        )
      }, patient)
    })
  })
}
