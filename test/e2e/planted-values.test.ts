/** Values of Secrets planted wherever a user can put one, at a real hub and a real cluster: what the hub answers, writes and logs is searched for them. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { ageLock, encryptSopsYaml } from '../bed/encrypt-sops.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret, pushReceiver } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const planted = {
  built: 'planted-in-a-built-secret',
  builtLater: 'planted-in-its-next-version',
  variable: 'planted-in-a-variable',
  variableLater: 'planted-in-its-next-value',
  sops: 'planted-under-sops',
  values: 'planted-in-values-of-a-chart',
  receiver: 'planted-as-token-of-a-receiver',
  body: 'planted-in-the-body-of-a-webhook',
  cookie: 'planted-in-a-cookie',
  login: 'planted-as-password-of-git',
  provider: 'planted-in-the-address-of-a-provider',
  kubeconfig: 'planted-as-token-of-a-kubeconfig',
  drifted: 'planted-by-hand-on-the-cluster',
}

const secret = (name: string, data: Readonly<Record<string, string>>): string =>
  `\n---\n${JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' }, stringData: data })}\n---`

const unit = (name: string, more = ''): string => `
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  retryInterval: 2s
  prune: true
  path: ./${name}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: prod}}
${more}---`

const release = (name: string, path: string): string => `
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  timeout: 30s
  chart: {spec: {chart: ./${path}, interval: 1h, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: fleet}}}
  kubeConfig: {secretRef: {name: prod}}
  valuesFrom: [{kind: Secret, name: values}]
---`

const chart = (folder: string, template: string) => ({
  [`${folder}/Chart.yaml`]: `apiVersion: v2\nname: ${folder}\nversion: 1.0.0\n`,
  [`${folder}/values.yaml`]: 'password: none\n',
  [`${folder}/templates/config.yaml`]: template,
})

const configMap = (name: string, more: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default${more}\n`

/** Refuses the ConfigMap `admission`, and quotes what is in it. */
const admission = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: quoting}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}
  validations: [{expression: "object.metadata.name != 'admission'", messageExpression: "'no such database: ' + object.data.url"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: quoting}
spec: {policyName: quoting, validationActions: [Deny]}
`

const login = (password: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: default}\nstringData: {password: ${password}}\n`

test('no record of a hub has a value of a Secret, and no answer, condition, event, metric or log, even where a cluster or a chart quotes it', async () => {
  const { path: folder } = endWithTest(disposableDir())
  const auditLog = join(folder, 'audit.log')
  const identity = await generateIdentity()
  const locks = [ageLock(await identityToRecipient(identity))]
  const sealed = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sealed', namespace: 'default' },
    stringData: { password: planted.sops },
  }
  const files = {
    'good/login.yaml': login(planted.built),
    'good/config.yaml': `${configMap('url', '}')}data: {url: "db://\${variable}@db", encoded: "\${variable:0:20}"}\n`,
    'sealed/sealed.yaml': await encryptSopsYaml(sealed, { locks, encryptedRegex: '^stringData$' }),
    // The cluster refuses these, and quotes the value.
    'refused/label.yaml': `${configMap('label', ', labels: {wrong: "${variable} is no label"}}')}`,
    'wrong/port.yaml': `apiVersion: v1\nkind: Service\nmetadata: {name: wrong, namespace: default}\nspec: {ports: [{port: 80, targetPort: "\${variable}_"}]}\n`,
    'typed/replicas.yaml': `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: typed, namespace: default}\nspec: {replicas: \${variable}}\n`,
    'admission/config.yaml': `${configMap('admission', '}')}data: {url: "db://\${variable}@db"}\n`,
    'shortened/label.yaml': `${configMap('shortened', ', labels: {wrong: "${variable:0:20} is no label"}}')}`,
    'immutable/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: immutable, namespace: default}
spec:
  selector: {matchLabels: {app: "\${variable}"}}
  template: {metadata: {labels: {app: "\${variable}"}}, spec: {containers: [{name: app, image: nginx}]}}
`,
    'lost/config.yaml': `${configMap('lost', '}')}data: {}\n`,
    'drift/login.yaml': login(planted.built).replace('name: login', 'name: drifting'),
    ...chart('shown', `${configMap('of-a-release', '}')}data: {password: {{ .Values.password | b64enc }}}\n`),
    ...chart('failing', '{{ fail (printf "no such user: %s" .Values.password) }}\n'),
    ...chart('invalid', configMap('{{ .Release.Name }}', ', labels: {wrong: "{{ .Values.password }} is no label"}}')),
  }
  const [target, repo, on] = await Promise.all([
    cluster(),
    gitRepo(files),
    hub({ flags: ['--audit-log-path', auditLog, '--log-level', 'info'] }),
  ])
  const keelson = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await ending(process.execPath, [program, ...args, '--kubeconfig', on.kubeconfig])
    return stdout + stderr
  }
  const variables = '  postBuild: {substituteFrom: [{kind: Secret, name: variables}]}\n'
  const dead = `apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "https://127.0.0.1:9"}}]
users: [{name: a, user: {token: ${planted.kubeconfig}}}]
`
  await target.apply(admission)
  const create = ['create', 'configmap', 'admission', '--from-literal=url=x', '--dry-run=server']
  await eventually(() => assert.rejects(target.kubectl(...create), /no such database/))
  await on.apply(
    kubeconfigSecret('prod', target) +
      secret('dead', { value: dead }) +
      secret('variables', { variable: planted.variable }) +
      secret('values', { 'values.yaml': `password: ${planted.values}\n` }) +
      secret('age', { 'identity.agekey': identity }) +
      secret('git', { username: 'keelson', password: planted.login }) +
      secret('hook', { address: `http://127.0.0.1:9/${planted.provider}` }) +
      fleetRepository(repo) +
      `
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: refused, namespace: default}
spec: {interval: 1h, url: 'http://127.0.0.1:9/none.git', secretRef: {name: git}}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: {name: hook, namespace: default}
spec: {type: generic, secretRef: {name: hook}}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata: {name: all, namespace: default}
spec: {providerRef: {name: hook}, eventSources: [{kind: Kustomization, name: '*'}]}
---
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: dead, namespace: default}
spec: {interval: 1h, kubeConfig: {secretRef: {name: dead}}}
---
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: prod, namespace: default}
spec: {interval: 1h, kubeConfig: {secretRef: {name: prod}}}
---` +
      pushReceiver('{kind: GitRepository, name: fleet}', planted.receiver) +
      unit('good', variables) +
      unit('sealed', '  decryption: {provider: sops, secretRef: {name: age}}\n') +
      ['refused', 'wrong', 'typed', 'admission', 'shortened', 'immutable'].map(name => unit(name, variables)).join('') +
      unit('drift').replace('name: drift,', 'name: drift, annotations: {kustomize.keelson.dev/drift: report},') +
      unit('lost').replace('name: prod', 'name: dead') +
      ['shown', 'failing', 'invalid'].map(name => release(name, name)).join(''),
  )

  const ready = (kind: string, name: string) =>
    on.kubectl('get', `${kind}/${name}`, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")]}')
  const is = (kind: string, status: 'True' | 'False', ...names: readonly string[]) =>
    eventually(async () => {
      for (const name of names) {
        const condition = JSON.parse((await ready(kind, name)) || '{}')
        assert.equal(condition.status, status, `${name}: ${JSON.stringify(condition)}`)
      }
    })
  await is('kustomization', 'True', 'good', 'sealed', 'drift', 'immutable')
  await is('kustomization', 'False', 'refused', 'wrong', 'typed', 'lost', 'admission', 'shortened')
  await is('helmrelease', 'True', 'shown')
  await is('helmrelease', 'False', 'failing', 'invalid')
  await is('gitrepository', 'False', 'refused')

  // What changes is recorded with its fields: a push by a webhook, a new value of a variable, and what someone does on the cluster.
  await target.kubectl(
    'patch',
    'secret/drifting',
    '-n',
    'default',
    '-p',
    JSON.stringify({ stringData: { password: planted.drifted } }),
  )
  await on.apply(secret('variables', { variable: planted.variableLater }))
  await repo.push({ 'good/login.yaml': login(planted.builtLater) })
  await on.kubectl('annotate', 'kustomization/immutable', 'reconcile.fluxcd.io/requestedAt=now')
  await is('kustomization', 'False', 'immutable')
  const { status } = await on.get<{ status: { webhookPath: string } }>('receiver', 'github')
  const body = JSON.stringify({ ref: 'refs/heads/main', repository: { clone_url: repo.url }, note: planted.body })
  const signature = createHmac('sha256', planted.receiver).update(body).digest('hex')
  const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signature}`, cookie: planted.cookie }
  assert.equal((await fetch(on.edge + status.webhookPath, { method: 'POST', headers, body })).status, 200)
  await on.kubectl('annotate', 'kustomization/drift', `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`)
  await eventually(async () => {
    const runs = await on.kubectl('get', 'runs', '-o', 'json')
    for (const found of ['"path": "data.password"', '"path": "data.url"', '"action": "drifted"'])
      assert.ok(runs.includes(found), found)
  })

  // Those who read Secrets are on record, too.
  await on.kubectl('get', 'secret/variables', '-o', 'json')
  const kinds = 'kustomizations,helmreleases,gitrepositories,helmcharts,providers,alerts,receivers,clusters'
  const answers: Readonly<Record<string, string>> = {
    objects: await on.kubectl('get', kinds, '-A', '-o', 'json', '--show-managed-fields'),
    tables: await on.kubectl('get', kinds, '-A', '-o', 'wide'),
    runs: await on.kubectl('get', 'runs', '-A', '-o', 'json'),
    deliveries: await on.kubectl('get', 'deliveries', '-A', '-o', 'json'),
    events: await on.kubectl('get', 'events', '-A', '-o', 'json'),
    metrics: await on.kubectl('get', '--raw', '/metrics'),
    summary: await on.kubectl('get', '--raw', '/fleet/summary'),
    units: await on.kubectl('get', '--raw', '/fleet/units'),
    sources: await on.kubectl('get', '--raw', '/fleet/sources'),
    audit: readFileSync(auditLog, 'utf8'),
    log: on.said(),
  }
  const asked: Record<string, string> = { ...answers }
  for (const words of [
    ['fleet', '-A'],
    ['clusters', '-A'],
    ['runs', '-A', '-o', 'wide'],
    ['versions', '-A', '-o', 'json'],
    ['drift', '-A', '-o', 'json'],
    ['orphans', '-A', '-o', 'json'],
    ['deliveries', '-A', '-o', 'json'],
    ['cost', '-A', '-o', 'json'],
    ['events', '-A'],
    ['logs'],
    ...['good', 'refused', 'admission', 'shortened', 'immutable', 'drift', 'lost'].map(name => [
      'why',
      `kustomization/${name}`,
    ]),
    ...['failing', 'invalid'].map(name => ['why', `hr/${name}`]),
    ...JSON.parse(answers.runs!).items.map(({ metadata }: { metadata: { name: string } }) => ['runs', metadata.name]),
  ])
    asked[words.join(' ')] = await keelson(...words, ...(words[0] === 'why' ? ['-n', 'default'] : []))

  // The test would see a value: each of these holds what it is about.
  assert.match(asked.audit!, /"resource":"secrets".*"name":"variables"/)
  for (const answer of ['objects', 'events', 'runs', 'log', 'why kustomization/refused'])
    assert.match(asked[answer]!, /Invalid value: \\*"\*\*\* is no label/, answer)
  assert.match(asked['why kustomization/admission']!, /no such database: db:\/\/\*\*\*@db/)
  assert.match(asked['why kustomization/immutable']!, /"app": ?"\*\*\*".*field is immutable/)
  assert.match(asked['why kustomization/shortened']!, /Invalid value: "\*\*\*": a valid label/)
  for (const answer of ['objects', 'events', 'runs', 'log', 'why hr/failing'])
    assert.match(asked[answer]!, /no such user: \*\*\*/, answer)
  assert.match(asked['drift -A -o json']!, /drifting/)
  assert.match(asked.log!, /reconciled/)
  const values = Object.entries(planted).flatMap(([where, value]) => [
    [where, value],
    [`${where}, shortened`, value.slice(0, 20)],
    [`${where}, encoded`, Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1)],
  ])
  const key = /client-key-data: (\S+)/.exec(readFileSync(target.kubeconfig, 'utf8'))?.[1]
  if (key) values.push(['key of the kubeconfig', key.slice(0, 100)])
  const found = Object.entries(asked).flatMap(([answer, text]) =>
    values
      .filter(([, value]) => text.includes(value!))
      .map(([where]) => {
        const at = text.indexOf(values.find(([name]) => name === where)![1]!)
        return `${answer}: ${where}: ${text.slice(Math.max(0, at - 160), at + 80)}`
      }),
  )
  assert.deepEqual(found, [])
})
