/** Every command on every page is run as it stands, or it is said here what shows it right. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { follow, type Instructions } from './follow.ts'
import { type Block, blocksOf } from './page.ts'
import { reader } from './reader.ts'

const root = join(import.meta.dirname, '../..')

/** Beginnings of blocks that are not run here. */
const elsewhere: Readonly<Record<string, string>> = {
  'npx cdk deploy': 'test/deploy deploys the stack into an emulator',
  'npx cdk bootstrap': 'test/deploy does so in an emulator; keelson kubeconfig and kubectl are tried there too',
  'npx keelson redrive': 'test/deploy tries it on the deployed stack',
  'aws dynamodb restore-table':
    'the emulator restores no tables: test/unit/infra has the template that takes a restored one',
  'npx keelson why kustomization/podinfo -n apps\nnpx keelson allow-prune':
    'nothing waits here: test/unit/reconcile has the guard, whose digest a page can not know',
  'npx keelson build artifactgenerator':
    'there is no generator here: test/unit/cli/build-artifact-generator.test.ts has some',
  'npx keelson adopt-cluster': 'no cluster is replaced here: test/unit/reconcile has one that is',
  'keelson serve --no-sample --authentication-config': 'there is no issuer here: test/hub/people.test.ts has one',
  'keelson kubeconfig --data .keelson --oidc': 'there is no issuer here: test/hub/login.test.ts has one',
  'keelson serve --no-sample --audit-log-path': 'test/hub/audit.test.ts has hubs with such logs',
  'keelson rollout': 'there is no Rollout here: test/e2e/rollout-command.test.ts has one',
  'kubectl create serviceaccount agent':
    'there is no agent here: test/e2e/mcp.test.ts has one, with an account of its own',
  'keelson join': 'there is no other cluster here: test/e2e/runner-join.test.ts has one',
  'kubectl create secret generic keelson-runner-decryption-keys':
    'no Pod runs here: test/e2e/runner-join.test.ts has the Deployment, and test/e2e/runner-signatures.test.ts such a directory',
  "kubectl get --raw '/fleet/audit": 'test/deploy/stories/keeps-record.ts has such requests',
  'keelson sign': 'there is no key here: test/e2e/runner-signatures.test.ts has one',
  'sudo npm install --global':
    'test/release installs the package; no systemd runs here: test/unit/docs/embedded.test.ts has its verdict on the unit',
  'sudo install -m 600 /dev/stdin /etc/keelson/runner':
    'no systemd runs here: test/bed/runner.ts starts all runners as this unit does',
  'journalctl --unit keelson': 'no systemd runs here',
  'docker build': 'no container engine runs here: test/release/package.test.ts runs the package as the image does',
  'npm test': 'it runs this',
  'npm run test:unit': 'it is part of npm test',
  'npm run format': 'it writes to the sources; npm run check is what CI runs',
  'export PATH=$PWD/node_modules/.bin': 'it is part of npm test',
  'npm run bench': 'measurements take minutes; they are made by hand, on a quiet machine',
  'npm run crash': 'npm test does four of its crashes',
  'node --test': 'it is part of npm test',
}
const isElsewhere = ({ text, words }: Block): string | undefined =>
  words.length > 0
    ? 'it belongs to the sample that test/docs/kustomize.test.ts runs'
    : elsewhere[Object.keys(elsewhere).find(beginning => text.startsWith(beginning)) ?? '']

/** Pages that are followed, here or in the file that is named. */
const followed: Readonly<Record<string, string>> = {
  'README.md': 'here',
  'docs/alerts.md': 'here',
  'docs/helm.md': 'here',
  'docs/kustomize.md': 'here',
  'docs/operations.md': 'here',
  'docs/resourcesets.md': 'here',
  'docs/tenants.md': 'here',
  'docs/webhooks.md': 'here',
  'docs/receipts.md': 'test/e2e/receipts.test.ts',
  'docs/from-flux.md': 'test/docs/from-flux.test.ts',
  'docs/getting-started.md': 'test/docs/getting-started.test.ts',
}

test('no page has commands that nobody runs', t => {
  const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })]
  const blocks = pages.flatMap(page => blocksOf(page).map(block => ({ page, ...block })))
  const commands = blocks.filter(({ language }) => ['sh', 'bash', 'console', 'shell'].includes(language))
  const unknown = commands.filter(block => !followed[block.page] && !isElsewhere(block))
  assert.deepEqual(
    unknown.map(({ at }) => at),
    [],
  )
  for (const block of commands) {
    const reason = isElsewhere(block)
    if (reason) t.diagnostic(`${block.at} is not run here: ${reason}`)
  }
})

const [target, podinfo, helloWorld] = await Promise.all([
  cluster({ name: 'target' }),
  gitRepo({
    'kustomize/kustomization.yaml': 'resources: [deployment.yaml]\n',
    'kustomize/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: podinfo}
spec:
  selector: {matchLabels: {app: podinfo}}
  template:
    metadata: {labels: {app: podinfo}}
    spec: {containers: [{name: podinfo, image: podinfo}]}
`,
  }),
  gitRepo({
    'examples/helloWorld/kustomization.yaml': 'resources: [map.yaml]\n',
    'examples/helloWorld/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hello}\n',
  }),
])
await podinfo.git('branch', 'master', 'main')
await helloWorld.git('tag', 'v1.0.6', 'main')
const { shell, clone, edge } = await reader({ files: { '.kube/config': target.kubeconfig } })

const instructions: Instructions = {
  isElsewhere,
  addresses: {
    'http://127.0.0.1:6449': edge,
    'https://github.com/stefanprodan/podinfo': podinfo.url,
    'https://github.com/kubernetes-sigs/kustomize.git': helloWorld.url,
  },
}

/** Follows a page from the clone on, after what its text takes for granted. */
const page = async (path: string, prepared = ''): Promise<void> => {
  await shell.run(`cd ${clone}\n${prepared}`)
  await follow(blocksOf(path), shell, instructions)
}

test('README: the sample, a real cluster, and a repository of one’s own', () => page('README.md'))

test('alerts', () => page('docs/alerts.md'))

test('webhooks', () => page('docs/webhooks.md'))

test('tenants', () => page('docs/tenants.md'))

test('operations, on one machine', () => page('docs/operations.md'))

test('kustomize', () =>
  page(
    'docs/kustomize.md',
    `mkdir -p overlays/staging
echo 'namePrefix: staging-' > overlays/staging/kustomization.yaml`,
  ))

test('helm', () =>
  page(
    'docs/helm.md',
    `mkdir -p charts/web/templates
printf 'apiVersion: v2\\nname: web\\nversion: 1.0.0\\n' > charts/web/Chart.yaml
echo 'image: {tag: v0}' | tee charts/web/values.yaml > values.yaml
echo 'kind: {{ .Values.image.tag }}' > charts/web/templates/a.yaml`,
  ))

test('resourcesets', () =>
  page(
    'docs/resourcesets.md',
    `cat > set.yaml <<'YAML'
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: set, namespace: default}
spec:
  inputsFrom: [{name: inputs}]
  resources:
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: << inputs.name >>, namespace: default}}
YAML
printf -- '- {id: "1", name: one}\\n' > inputs.yaml
cat > providers.yaml <<'YAML'
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: inputs, namespace: default}
spec: {type: Static, defaultValues: {name: two}}
YAML`,
  ))
