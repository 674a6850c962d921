import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { Run } from '../../../lib/foundations/kinds/run.ts'
import { logGroups } from '../../bed/aws/log-groups.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { branchUnit, readyOf, type WithConditions } from '../fleet.ts'

const planted = {
  built: 'planted-in-a-built-secret',
  builtLater: 'planted-in-its-next-version',
  variable: 'planted-in-a-variable',
  values: 'planted-in-values-of-a-chart',
}

const secret = (name: string, key: string, value: string): string =>
  `---\napiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {${key}: ${value}}\n---\n`

const [built, refused, failing] = ['hides-built', 'hides-refused', 'hides-failing']

const chart = {
  [`${failing}/Chart.yaml`]: 'apiVersion: v2\nname: failing\nversion: 1.0.0\n',
  [`${failing}/values.yaml`]: 'password: none\n',
  [`${failing}/templates/config.yaml`]: '{{ fail (printf "no such user: %s" .Values.password) }}\n',
}

const release = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${failing}, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: ./${failing}, interval: 1h, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: ${built}}}}
  kubeConfig: {secretRef: {name: ${built}}}
  valuesFrom: [{kind: Secret, name: hides-values, valuesKey: password, targetPath: password}]
`

/** The cluster refuses this, and quotes it. */
const label = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${refused}, namespace: default, labels: {wrong: "\${variable} is no label"}}\n`

const substituted = '  postBuild: {substituteFrom: [{kind: Secret, name: hides-variables}]}\n'

/** Values of Secrets planted where a hub reads them: nothing that it shows or logs has one. */
export function hidesSecrets({ admin, target, charts, emulator }: DeployedHub): void {
  const logs = logGroups(emulator)
  const conditionOf = (kind: string, name: string) => admin.get<WithConditions>(kind, name)

  /** What is in each log group: of functions, and of requests. */
  const logged = async (): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      await Promise.all(
        (await logs.names()).map(async name => [`log ${name}`, (await logs.messages(name)).join('\n')] as const),
      ),
    )

  describe('hides secrets', inOrder, () => {
    test('a Secret is built and changed, a cluster quotes a variable, and a chart fails with a value', async () => {
      const files = { ...chart, [`${refused}/label.yaml`]: label }
      await charts.push(
        { ...files, [`${built}/login.yaml`]: secret('hides-login', 'password', planted.built) },
        { branch: built },
      )
      await charts.push(files, { branch: refused })
      await admin.apply(
        secret('hides-variables', 'variable', planted.variable) +
          secret('hides-values', 'password', planted.values) +
          `${branchUnit(built, charts.url, target)}---${branchUnit(refused, charts.url, target)}${substituted}---${release}`,
      )
      await eventually(async () => {
        assert.match(readyOf(await admin.get<Kustomization>('kustomization', built)), /^True /)
        assert.match(readyOf(await conditionOf('kustomization', refused)), /^False ReconciliationFailed/)
        assert.match(readyOf(await conditionOf('helmrelease', failing)), /^False /)
      }, patient)
      await charts.push(
        { [`${built}/login.yaml`]: secret('hides-login', 'password', planted.builtLater) },
        { branch: built },
      )
      const now = `reconcile.fluxcd.io/requestedAt=${Date.now()}`
      await admin.kubectl('annotate', '--overwrite', 'gitrepository', built, now)
    })

    test('Runs, conditions, Events, deliveries and the logs of all functions say so, and have no value', async () => {
      const runs = await eventually(async () => {
        const text = await admin.kubectl('get', 'runs', '-A', '-o', 'json')
        const { items } = JSON.parse(text) as { readonly items: readonly Run[] }
        const changed = items
          .filter(({ unit }) => unit.name === built)
          .flatMap(({ changes = [] }) => changes.flatMap(({ fields = [] }) => fields))
        assert.deepEqual(
          changed.map(({ path, before, after }) => ({ path, before, after })),
          [{ path: 'data.password', before: '***', after: '***' }],
        )
        return text
      }, patient)
      const kinds = 'kustomizations,helmreleases,gitrepositories,helmcharts,clusters,receivers,deliveries'
      const shown: Readonly<Record<string, string>> = {
        runs,
        objects: await admin.kubectl('get', kinds, '-A', '-o', 'json'),
        events: await admin.kubectl('get', 'events', '-A', '-o', 'json'),
        fleet: await admin.kubectl('get', '--raw', '/fleet/summary?limit=500'),
        ...(await logged()),
      }
      // The test would see a value: each of these has what it is about.
      for (const place of ['runs', 'objects', 'events']) {
        assert.match(shown[place]!, /\*\*\* is no label/, place)
        assert.match(shown[place]!, /no such user: \*\*\*/, place)
      }
      const mentions = Object.keys(shown).filter(place => place.startsWith('log ') && shown[place]!.includes(built))
      assert.ok(mentions.length >= 2, `log groups of functions and of requests: ${Object.keys(shown).join()}`)
      const values = Object.entries(planted).flatMap(([where, value]) => [
        [where, value],
        [`${where}, encoded`, Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1)],
      ])
      const found = Object.entries(shown).flatMap(([place, text]) =>
        values.filter(([, value]) => text.includes(value!)).map(([where]) => `${place}: ${where}`),
      )
      assert.deepEqual(found, [])
    })
  })
}
