/** What differed on public repositories (issue 26, findings 1 to 4), in shapes of our own, with siblings of each. */
import { type Trees, tree } from './tree.ts'

const configMap = (text: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  text: ${text}\n`
const all = (text: string, kustomization = '', more = {}) =>
  tree(`resources: [all.yaml]\n${kustomization}\n`, { 'all.yaml': text, ...more })

/** A replacement that brings a value of a list of settings into a Deployment. */
const nodeSelector = (value: string, options = 'create: true') =>
  all(
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  nodeSelector:\n    example.com/disk: ${value}\n---\n` +
      'apiVersion: example.com/v1\nkind: Plane\nmetadata: {name: plane}\nspec: {replicas: 1}\n',
    `replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: 'data.nodeSelector.example\\.com/disk'}
  targets: [{select: {kind: Plane}, fieldPaths: ['spec.nodeSelector.example\\.com/disk'], options: {${options}}}]`,
  )

/** A transformer that puts a prefix before the subjects of a binding, and before the namespaces that they are in. */
const subjects = (binding: string, namespace: string, prefix = 'team-', service = '') =>
  all(
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${binding}\nmetadata: {name: reader${namespace}}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\n` +
      `subjects:\n- {kind: ServiceAccount, name: manager, namespace: system}\n---\n${service}`,
    'transformers: [prefix.yaml]',
    {
      'prefix.yaml': `apiVersion: builtin\nkind: PrefixSuffixTransformer\nmetadata: {name: p}\nprefix: ${prefix}\nfieldSpecs:\n- {kind: ${binding}, path: subjects/name}\n- {kind: ${binding}, path: subjects/namespace}\n`,
    },
  )
const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: system}\n'

const deployment = (template: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bar}\nspec:\n  template: ${template}\n`
const cronJob = (env: string): string =>
  `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: c, env: ${env}}]}}}}}\n`

export const trees: Trees = {
  'finding 26.1: a more indented line that follows text in a folded block gets the empty line that kustomize writes': [
    all(configMap('>-\n    all(c,\n      c.name != "")\n')),
    all(configMap('>\n    <a>\n      <b/>\n    </a>\n')),
    all(configMap('>-\n    {\n      "a": 1\n    }\n    end\n')),
    all(configMap('>+\n    a\n\n      b\n     c\n    d\n\n')),
    all(configMap('>-\n      a\n    b\n')),
    all(configMap('>-\n    a\n    \tb\n')),
  ],
  'finding 26.2: an empty text that a replacement brings stays an empty text, and null stays null': [
    nodeSelector('""'),
    nodeSelector("''"),
    nodeSelector('null'),
    nodeSelector(''),
    nodeSelector('~'),
    nodeSelector('"null"'),
    nodeSelector('""', 'create: false'),
    nodeSelector('{}'),
    nodeSelector('[]'),
  ],
  'finding 26.3: a binding in a namespace of its own, and subjects whose namespace a transformer changes': [
    subjects('RoleBinding', ', namespace: kube-system'),
    subjects('RoleBinding', ', namespace: kube-system', 'team-', service),
    subjects('RoleBinding', ''),
    subjects('RoleBinding', ', namespace: system'),
    subjects('ClusterRoleBinding', ''),
    subjects('ClusterRoleBinding', '', '""', service),
  ],
  'finding 26.4: a variable in place of an object or a list is refused by the field that a name reference leads through':
    [
      all(deployment('$(TEMPLATE)')),
      all(deployment('$(TEMPLATE)'), 'namePrefix: p-'),
      all(deployment('{spec: $(SPEC)}')),
      all(deployment('{spec: {containers: $(CONTAINERS)}}')),
      all(deployment('{spec: {initContainers: $(CONTAINERS)}}')),
      all(deployment('[]')),
      all(cronJob('$(ENV)')),
      all(cronJob('[$(ENV)]')),
    ],
  'finding 26.4: a configuration that says otherwise than the field specs of kustomize is refused in its words': [
    all(configMap('a'), 'configurations: [own.yaml]', {
      'own.yaml':
        'commonLabels:\n- path: spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels\n  create: true\n  group: apps\n  kind: Deployment\n',
    }),
    all(configMap('a'), 'configurations: [own.yaml]', {
      'own.yaml':
        'commonLabels:\n- path: spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels\n  create: true\n  group: apps\n  kind: Deployment\n  version: v1\n',
    }),
    all(configMap('a'), 'configurations: [own.yaml]', {
      'own.yaml': 'namespace:\n- {path: metadata/namespace, create: false}\n',
    }),
    all(configMap('a'), 'configurations: [own.yaml]', {
      'own.yaml':
        'nameReference:\n- kind: ConfigMap\n  version: v1\n  fieldSpecs: [{path: spec/volumes/configMap/name, kind: Pod, create: true}]\n',
    }),
  ],
  'finding 26.4: a patch without a target, and a kustomization file among patches, are told as kustomize tells them': [
    all(configMap('a'), 'patches: [{path: p.yaml}]', {
      'p.yaml': 'apiVersion: example.com/v1\nkind: Plane\nmetadata: {name: none}\n',
    }),
    all(configMap('a'), 'patchesStrategicMerge: [p.yaml]', {
      'p.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: none}\n',
    }),
    all(configMap('a'), 'components: [part]', {
      'part/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: p.yaml}]\n',
      'part/p.yaml': 'apiVersion: example.com/v1\nkind: Plane\nmetadata: {name: none}\n',
    }),
    all(configMap('a'), 'patches: [{path: kustomization.yaml}]'),
    all(
      configMap('a'),
      'patchesJson6902: [{target: {version: v1, kind: ConfigMap, name: a}, apiVersion: v1, path: p.yaml}]',
      {
        'p.yaml': '[]',
      },
    ),
  ],
}
