/** Every command of kubectl that makes sense without pods, against the hub, in this order on one namespace. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommandFailed } from '../bed/command.ts'
import { kubectl } from '../bed/kubectl.ts'
import { servedHub } from './served-hub.ts'

const hub = await servedHub()

const json = (apiVersion: string, kind: string, name: string, content: object) =>
  JSON.stringify({ apiVersion, kind, metadata: { name }, ...content })
const app = (interval = '10m') =>
  json('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'app', {
    spec: { interval, prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } },
  })
const map = (name: string, data: object) => json('v1', 'ConfigMap', name, { data })
const widgets = json('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', {
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', description: 'How large.' } } },
            },
          },
        },
        subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    ],
  },
})
const widget = json('example.com/v1', 'Widget', 'one', { spec: { size: 2 } })

interface Step {
  readonly run: string
  readonly input?: string
  /** What it says, on success. */
  readonly says?: RegExp
  /** What it says as it fails. */
  readonly fails?: RegExp
}

const steps: readonly Step[] = [
  { run: 'version', says: /Server Version: v1\.36/ },
  { run: 'cluster-info', says: /Kubernetes control plane.* is running at/ },
  { run: 'get services -A', says: /^$/ },
  {
    run: 'create -f -',
    input: json('v1', 'Service', 'web', { spec: { ports: [{ port: 80 }] } }),
    fails: /a hub runs no workloads and accepts no Service: apply it to a cluster/,
  },
  { run: 'api-versions', says: /^kustomize\.toolkit\.fluxcd\.io\/v1$/m },
  { run: 'api-resources', says: /^customresourcedefinitions +crd,crds +apiextensions\.k8s\.io\/v1 +false/m },
  { run: 'api-resources --namespaced=false -o name', says: /^clusterroles\.rbac\.authorization\.k8s\.io$/m },
  { run: 'api-resources --verbs=watch --categories=fluxcd', says: /kustomizations/ },
  { run: 'explain kustomization', says: /KIND: +Kustomization/ },
  { run: 'explain kustomization.spec --recursive', says: /sourceRef\t<Object> -required-/ },
  { run: 'explain gitrepositories --api-version=source.toolkit.fluxcd.io/v1', says: /VERSION: +v1/ },
  { run: 'explain secret.data', says: /FIELD: data <map\[string\]string>/ },
  { run: 'create namespace matrix', says: /created/ },
  { run: 'create -f - -n matrix', input: app(), says: /app created/ },
  { run: 'create -f - -n matrix', input: app(), fails: /AlreadyExists/ },
  { run: 'apply -f - -n matrix --dry-run=server', input: map('a', { k: '1' }), says: /created \(server dry run\)/ },
  { run: 'apply -f - -n matrix --dry-run=client', input: map('a', { k: '1' }), says: /created \(dry run\)/ },
  { run: 'apply -f - -n matrix', input: map('a', { k: '1' }), says: /configmap\/a created/ },
  { run: 'apply -f - -n matrix', input: map('a', { k: '2' }), says: /configmap\/a configured/ },
  { run: 'apply -f - -n matrix', input: map('a', { k: '2' }), says: /configmap\/a unchanged/ },
  { run: 'apply view-last-applied configmap/a -n matrix', says: /k: "2"/ },
  { run: 'apply -f - -n matrix --server-side', input: map('b', { k: '1' }), says: /b serverside-applied/ },
  {
    run: 'apply -f - -n matrix --server-side --field-manager=other',
    input: map('b', { k: '2' }),
    fails: /conflict with "kubectl"/,
  },
  {
    run: 'apply -f - -n matrix --server-side --field-manager=other --force-conflicts',
    input: map('b', { k: '2' }),
    says: /serverside-applied/,
  },
  { run: 'diff -f - -n matrix', input: map('a', { k: '3' }), fails: /\+ +k: "3"/ },
  { run: 'diff -f - -n matrix', input: map('a', { k: '2' }), says: /^$/ },
  { run: 'get configmap a -n matrix -o json', says: /"k": "2"/ },
  { run: 'get configmap a -n matrix -o yaml', says: /^ {2}k: "2"$/m },
  { run: 'get configmap a -n matrix -o wide', says: /^a +1 /m },
  { run: 'get configmap a -n matrix -o name', says: /^configmap\/a$/m },
  { run: 'get configmap a -n matrix -o jsonpath={.data.k}', says: /^2$/ },
  { run: 'get configmap a -n matrix -o go-template={{.data.k}}', says: /^2$/ },
  { run: 'get configmap a -n matrix -o custom-columns=N:.metadata.name', says: /^N\na\n$/ },
  { run: 'get configmap,ks -n matrix', says: /configmap\/a[\s\S]*kustomization\.kustomize\.toolkit\.fluxcd\.io\/app/ },
  { run: 'get configmap -A --sort-by=.metadata.name', says: /matrix +a/ },
  { run: 'get configmap -n matrix --show-labels', says: /LABELS/ },
  { run: 'get configmap -n matrix --show-managed-fields -o yaml', says: /managedFields/ },
  { run: 'get configmap nothing -n matrix', fails: /configmaps "nothing" not found/ },
  { run: 'get configmap nothing -n matrix --ignore-not-found', says: /^$/ },
  { run: 'get nothings', fails: /the server doesn't have a resource type "nothings"/ },
  { run: 'get --raw /api/v1/namespaces/matrix', says: /"name":"matrix"/ },
  { run: 'describe ks app -n matrix', says: /Interval: +10m/ },
  { run: 'describe configmap a -n matrix', says: /Data\n====\nk:/ },
  { run: 'describe namespace matrix', says: /Status: +Active/ },
  { run: 'label ks app -n matrix tier=web', says: /labeled/ },
  { run: 'label ks app -n matrix tier=db', fails: /already has a value/ },
  { run: 'label ks app -n matrix tier=db --overwrite', says: /labeled/ },
  { run: 'get ks -n matrix -l tier=db -L tier', says: /db/ },
  { run: 'label ks app -n matrix tier-', says: /unlabeled/ },
  { run: 'annotate ks app -n matrix note=x', says: /annotated/ },
  { run: 'patch ks app -n matrix --type=merge -p {"spec":{"suspend":true}}', says: /patched/ },
  { run: 'patch ks app -n matrix --type=json -p [{"op":"remove","path":"/spec/suspend"}]', says: /patched/ },
  {
    run: 'patch ks app -n matrix -p {"spec":{"suspend":true}}',
    fails: /strategic-merge-patch\+json is not supported by kustomize/,
  },
  { run: 'patch configmap a -n matrix -p {"data":{"z":"1"}}', says: /patched/ },
  {
    run: 'patch ks app -n matrix --subresource=status --type=merge -p {"status":{"observedGeneration":1}}',
    says: /patched/,
  },
  {
    run: 'patch ks app -n matrix --type=merge -p {"spec":{"interval":"soon"}}',
    fails: /spec\.interval: Invalid value: "soon"/,
  },
  { run: 'edit configmap a -n matrix', says: /configmap\/a edited/ },
  { run: 'get configmap a -n matrix -o jsonpath={.data.k}', says: /^edited$/ },
  { run: 'replace -f - -n matrix', input: map('a', { k: '4' }), says: /replaced/ },
  { run: 'replace --force -f - -n matrix', input: map('a', { k: '5' }), says: /replaced/ },
  { run: 'set image ks/app x=y -n matrix', fails: /./ },
  { run: 'wait ks/app -n matrix --for=jsonpath={.spec.prune}=true --timeout=5s', says: /condition met/ },
  { run: 'wait ks/app -n matrix --for=condition=Ready --timeout=1s', fails: /timed out waiting for the condition/ },
  { run: 'get ks -n matrix -w --request-timeout=2s', says: /app/ },
  { run: 'events -n matrix', says: /^$/ },
  { run: 'create secret generic s -n matrix --from-literal=a=b', says: /created/ },
  { run: 'create secret tls t -n matrix --cert=/dev/null --key=/dev/null', fails: /./ },
  {
    run: 'create secret docker-registry d -n matrix --docker-server=x --docker-username=y --docker-password=z',
    says: /created/,
  },
  { run: 'create configmap from -n matrix --from-literal=a=b', says: /created/ },
  { run: 'create serviceaccount bot -n matrix', says: /created/ },
  { run: 'create token bot -n matrix', says: /^ey/ },
  { run: 'create role r -n matrix --verb=get --resource=configmaps', says: /created/ },
  { run: 'create rolebinding rb -n matrix --role=r --serviceaccount=matrix:bot', says: /created/ },
  { run: 'create clusterrole matrix --verb=get --resource=namespaces', says: /created/ },
  { run: 'create clusterrolebinding matrix --clusterrole=matrix --user=jane', says: /created/ },
  { run: 'create deployment x --image=y', fails: /a hub runs no workloads and accepts no Deployment/ },
  { run: 'auth can-i get configmaps -n matrix --as=system:serviceaccount:matrix:bot', says: /^yes/ },
  { run: 'auth can-i delete configmaps -n matrix --as=system:serviceaccount:matrix:bot', fails: /^no/ },
  { run: 'auth can-i --list -n matrix --as=system:serviceaccount:matrix:bot', says: /configmaps +\[\] +\[\] +\[get\]/ },
  { run: 'auth whoami', says: /kubernetes-admin/ },
  { run: 'get deployments -n flux-system', says: /source-controller +1\/1/ },
  { run: 'apply -f -', input: widgets, says: /widgets\.example\.com created/ },
  { run: 'wait crd/widgets.example.com --for=condition=Established --timeout=5s', says: /condition met/ },
  { run: 'apply -f - -n matrix', input: widget, says: /widget\.example\.com\/one created/ },
  { run: 'get wi -n matrix', says: /^NAME +SIZE\none +2\n$/ },
  { run: 'explain widget.spec.size', says: /How large\./ },
  { run: 'scale widget/one -n matrix --replicas=5', says: /scaled/ },
  { run: 'get wi one -n matrix -o jsonpath={.spec.size}', says: /^5$/ },
  { run: 'delete crd widgets.example.com', says: /deleted/ },
  { run: 'get wi -n matrix', fails: /could not find the requested resource|doesn't have a resource type/ },
  { run: 'delete configmap a -n matrix --dry-run=server', says: /deleted.*\(server dry run\)/ },
  { run: 'delete configmap a -n matrix --cascade=foreground', says: /deleted/ },
  { run: 'delete configmap b -n matrix --cascade=orphan', says: /deleted/ },
  { run: 'delete configmap from -n matrix --cascade=background', says: /deleted/ },
  { run: 'delete secret --all -n matrix', says: /secret "s" deleted/ },
  { run: 'delete ks -n matrix -l none=none', says: /No resources found/ },
  { run: 'delete -f - -n matrix', input: app(), says: /"app" deleted/ },
  { run: 'delete namespace matrix', says: /deleted/ },
  { run: 'get ns matrix', fails: /not found/ },
  { run: 'logs app', fails: /./ },
]

/** An editor that changes the first value it finds. */
const editor = `sed -i 's/^  k: .*/  k: edited/'`

for (const { run, input, says, fails } of steps)
  test(`kubectl ${run}${fails ? ' fails, and says why' : ''}`, async () => {
    const env = { KUBE_EDITOR: editor }
    const args = run.split(' ')
    try {
      const said = await kubectl(hub.kubeconfig, args, { ...(input && { input }), env })
      assert.ok(says, `it succeeded: ${said}`)
      assert.match(said, says)
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error
      assert.ok(fails, error.message)
      assert.match(`${error.stdout}${error.stderr}`, fails)
    }
  })
