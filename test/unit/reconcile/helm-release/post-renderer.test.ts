import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hook } from '../../../../lib/engines/helm/hook.ts'
import { manifestText } from '../../../../lib/engines/helm/release/manifest-text.ts'
import { type PostRenderStrategy, postRender } from '../../../../lib/engines/helm/release/post-render.ts'
import { defaultBuildLimits } from '../../../../lib/foundations/budget/budget.ts'
import type { HelmRelease } from '../../../../lib/foundations/kinds/helm-release.ts'
import { postRendererOf } from '../../../../lib/reconcile/helm-release/post-renderer.ts'

const rendered = (files: Readonly<Record<string, string>>) => ({
  files: new Map(Object.entries(files)),
  crds: [],
  notes: '',
})

const configMap = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data:\n  b: "1"\n  a: x\n`
const hooked = '  annotations:\n    helm.sh/hook: pre-install\n'

const rendererOf = (spec: Partial<HelmRelease['spec']> = {}) => {
  const release = { metadata: { name: 'app', namespace: 'apps' }, spec: { interval: '1m', ...spec } }
  return postRendererOf(release as HelmRelease, defaultBuildLimits)
}

test('HR-090 HR-092 documents get their labels, and go back to the files that they came from', async () => {
  const before = rendered({
    'app/templates/cm.yaml': `${configMap('one')}---\n${configMap('two')}`,
    'app/templates/h.yaml': configMap('h', hooked),
  })
  const { manifests, hooks } = await postRender(before, rendererOf())
  const document = (name: string) =>
    `---\n# Source: app/templates/cm.yaml\napiVersion: v1\ndata:\n  a: x\n  b: "1"\nkind: ConfigMap\nmetadata:\n  labels:\n    helm.toolkit.fluxcd.io/name: app\n    helm.toolkit.fluxcd.io/namespace: apps\n  name: ${name}\n`
  // As helm-controller 1.6 stores them: only the last document of a file keeps the end of its line.
  assert.equal(manifestText(manifests), `${document('one')}${document('two')}\n`)
  assert.match(
    hooks[0]!.content,
    /labels:\n {4}helm.toolkit.fluxcd.io\/name: app\n {4}helm.toolkit.fluxcd.io\/namespace: apps\n/,
  )
})

test('HR-090 patches and images come first, then common metadata; the origin wins', async () => {
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    image: nginx:1\n'
  const patch = '[{"op": "add", "path": "/metadata/labels", "value": {"a": "patch"}}]'
  const renderer = rendererOf({
    postRenderers: [
      { kustomize: { images: [{ name: 'nginx', newTag: '2' }] } },
      { kustomize: { patches: [{ target: { kind: 'Pod' }, patch }] } },
    ],
    commonMetadata: { labels: { a: 'common', 'helm.toolkit.fluxcd.io/name': 'no' }, annotations: { n: '1' } },
  })
  const { manifests } = await postRender(rendered({ 'app/templates/p.yaml': pod }), renderer)
  assert.equal(
    manifests[0]!.content,
    'apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    "n": "1"\n  labels:\n    a: common\n    helm.toolkit.fluxcd.io/name: app\n    helm.toolkit.fluxcd.io/namespace: apps\n  name: p\nspec:\n  containers:\n  - image: nginx:2\n    name: c\n',
  )
})

test('HR-091 the strategies decide whether hooks are rendered, and together or apart', async () => {
  const files = { 'app/templates/cm.yaml': configMap('one'), 'app/templates/h.yaml': configMap('one', hooked) }
  const renderer = rendererOf()
  const hooksOf = async (strategy: PostRenderStrategy): Promise<readonly Hook[]> =>
    (await postRender(rendered(files), renderer, strategy)).hooks
  assert.match((await hooksOf('separate'))[0]!.content, /helm.toolkit/)
  assert.doesNotMatch((await hooksOf('nohooks'))[0]!.content, /helm.toolkit/)
  await assert.rejects(hooksOf('combined'), {
    message:
      'error while running post render on files: may not add resource with an already registered id: ConfigMap.v1.[noGrp]/one.[noNs]',
  })
})
