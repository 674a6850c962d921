import { generateKeyPairSync } from 'node:crypto'
import { image, type Step } from './story.ts'

/** A manifest as kyaml writes it, with a marker for policy `app`. */
export const manifest = (tag: string, name = 'app'): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: prod
spec:
  template:
    spec:
      containers:
        - name: app # the only one
          image: ${image}:${tag} # {"$imagepolicy": "story:app"}
`

const kustomization = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
images:
  - name: app
    newName: ${image} # {"$imagepolicy": "story:app:name"}
    newTag: 1.0.0 # {"$imagepolicy": "story:app:tag"}
    digest: sha256:0 # {"$imagepolicy": "story:app:digest"}
`
const release = `# The web shop
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: shop
spec:
  values:
    image:
      repository: "${image}" # {"$imagepolicy": "story:app:name"}
      tag: '1.0.0' # {"$imagepolicy": "story:app:tag"}
    env:
      # {"$imagepolicy": "story:app:tag"}
      - 1.0.0
      - 1.0.0
---
kind: Other
tag: 1.0.0 # {"$imagepolicy": "story:none:tag"}
`

const digest = `sha256:${'ab'.repeat(32)}`
const withDigest = (tag: string) => ({ latestRef: { name: image, tag, digest } })
const commit = { author: { name: 'Fluxbot', email: 'flux@example.com' } }
const one = { 'app.yaml': manifest('1.0.0') }
const begun = { commits: [{ files: one }], source: {}, policies: { app: '1.1.0' } } satisfies Step
const messages = `{{ .AutomationObject }} of {{ .Values.team | upper }}
{{ range $file, $changes := .Changed.FileChanges }}
- {{ $file }}{{ range $object, $all := $changes }}
  {{ $object.Kind }} {{ $object.Namespace }}/{{ $object.Name }} {{ $object.APIVersion }}
{{- range $all }} {{ .Setter }}: {{ .OldValue }} -> {{ .NewValue }}{{ end }}{{ end }}
{{- end }}
{{ range $object, $all := .Changed.Objects }}{{ $object }} {{ len $all }}
{{ end }}{{ range .Changed.Changes }}[{{ . }}]{{ end }}
`
const says = (messageTemplate: string) => ({ automation: { git: { commit: { ...commit, messageTemplate } } } })

const sshKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString()

/** Trees hold the namespace, in markers: it is the same in each playing. */
export const namespaceOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .slice(0, 62)

export const stories: Readonly<Record<string, readonly Step[]>> = {
  'setters of each kind in several files, and a newer tag': [
    {
      commits: [
        { files: { ...one, 'base/kustomization.yaml': kustomization, 'base/shop.yml': release, 'a.txt': image } },
      ],
      source: {},
      policies: { app: withDigest('1.1.0') },
      automation: {},
    },
    { policies: { app: '1.2.0' } },
  ],
  'nothing to do': [
    { commits: [{ files: { 'app.yaml': manifest('1.1.0') } }], source: {}, policies: { app: '1.1.0' }, automation: {} },
    { request: true },
    { commits: [{ files: { 'new.yaml': manifest('1.0.0', 'new') } }], request: true },
  ],
  'a push branch is created and continued': [
    { ...begun, automation: { git: { commit, push: { branch: 'auto' } } } },
    { policies: { app: '1.2.0' } },
    { commits: [{ files: { 'more.yaml': manifest('1.0.0', 'more') } }], request: true },
    { policies: { app: '1.3.0' } },
  ],
  'a refspec, and options': [
    {
      ...begun,
      config: { 'receive.advertisePushOptions': 'true' },
      automation: {
        git: {
          commit,
          push: { branch: 'auto', refspec: 'refs/heads/auto:refs/heads/copy', options: { 'merge_request.create': '' } },
        },
      },
    },
  ],
  'a refspec of the branch that is checked out': [
    { ...begun, automation: { git: { commit, push: { refspec: 'refs/heads/main:refs/heads/other' } } } },
    { policies: { app: '1.2.0' } },
  ],
  'a refspec whose target has commits of its own': [
    {
      ...begun,
      commits: [{ files: one }, { branch: 'other', files: { 'other.txt': 'other' } }],
      automation: { git: { commit, push: { refspec: 'refs/heads/main:refs/heads/other' } } },
    },
    { request: true },
    { automation: { git: { commit, push: { refspec: '+refs/heads/main:refs/heads/other' } } } },
    { policies: { app: '1.2.0' } },
  ],
  'a refspec whose target has commits of its own, and a push branch': [
    {
      ...begun,
      commits: [{ files: one }, { branch: 'other', files: { 'other.txt': 'other' } }],
      automation: { git: { commit, push: { branch: 'auto', refspec: 'refs/heads/auto:refs/heads/other' } } },
    },
  ],
  'options that the server does not support': [
    { ...begun, automation: { git: { commit, push: { options: { ci: 'skip' } } } } },
  ],
  'a message from a template, with values': [
    {
      ...begun,
      commits: [{ files: { ...one, 'z/shop.yml': release } }],
      automation: {
        git: { commit: { ...commit, messageTemplate: messages, messageTemplateValues: { team: 'web' } } },
      },
    },
  ],
  'messages that can not be made': [
    { ...begun, ...says('{{ .AutomationObject') },
    says('{{ .Nothing }}'),
    says('{{ now }}'),
    says('{{ .Updated.Files }}'),
    says('{{ len .Changed.FileChanges }} files'),
    { policies: { app: '1.2.0' } },
  ],
  'a message with a removed field': [{ ...begun, ...says('{{ .Changed.ImageResult.Files }}') }],
  'an automation without git': [{ ...begun, automation: { git: null } }],
  'a selector that can not be read': [
    {
      ...begun,
      automation: { policySelector: { matchExpressions: [{ key: 'tier', operator: 'Near', values: ['web'] }] } },
    },
  ],
  'a selector': [
    { ...begun, automation: { policySelector: { matchLabels: { tier: 'web' } } } },
    { policies: { app: { latestRef: { name: image, tag: '1.1.0' }, labels: { tier: 'web' } } }, request: true },
    { automation: { policySelector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] } } },
  ],
  'a policy that has chosen nothing yet': [
    { commits: [{ files: one }], source: {}, policies: { app: {} }, automation: {} },
    { policies: { app: '1.1.0' } },
  ],
  'a removed policy': [
    { ...begun, automation: {} },
    { policies: { app: null }, request: true },
  ],
  'a repository that can not be reached or is missing': [
    { commits: [{ files: one }], policies: { app: '1.1.0' }, automation: {} },
    { source: { url: 'http://127.0.0.1:1/repo.git' }, request: true },
    { source: {}, request: true },
  ],
  'what is referred to and is missing': [
    { ...begun, source: { secretRef: { name: 'none' } }, automation: {} },
    { source: { ref: { branch: 'none' } }, request: true },
    { source: { ref: { tag: 'v1' } }, request: true },
    { automation: { sourceRef: { kind: 'GitRepository', name: 'none' } } },
  ],
  'another checkout than that of the source': [
    {
      ...begun,
      commits: [{ files: one, tag: 'v1.0.0' }, { files: { 'app.yaml': manifest('1.0.1') } }],
      automation: { git: { commit, checkout: { ref: { semver: '>=1.0.0' } }, push: { branch: 'auto' } } },
    },
    { automation: { git: { commit, checkout: { ref: { tag: 'v1.0.0' } } } } },
  ],
  'an author without a name': [
    { ...begun, automation: { git: { commit: { author: { email: 'robot@example.com' } } } } },
  ],
  'signing keys': [
    {
      ...begun,
      secrets: {
        ssh: { identity: sshKey() },
        empty: { other: 'x' },
        invalid: { identity: 'no key', 'git.asc': 'no key' },
      },
      automation: { git: { commit: { ...commit, signingKey: { type: 'ssh', secretRef: { name: 'ssh' } } } } },
    },
    ...['none', 'empty', 'invalid'].flatMap(name =>
      ['ssh', 'gpg'].map(type => ({
        automation: { git: { commit: { ...commit, signingKey: { type, secretRef: { name } } } } },
      })),
    ),
  ],
  'a suspended automation': [
    { ...begun, automation: { suspend: true } },
    { request: true },
    { automation: { suspend: false } },
    { automation: { suspend: true } },
    { policies: { app: '1.2.0' } },
  ],
  'paths to update': [
    {
      ...begun,
      commits: [{ files: { ...one, 'sub/app.yaml': manifest('1.0.0', 'sub') } }],
      automation: { update: { strategy: 'Setters', path: './none' } },
    },
    ...['../..', '/sub', 'sub/../sub/app.yaml', '../sub', 'sub/.'].flatMap((path, at) => [
      { automation: { update: { strategy: 'Setters', path } } },
      { policies: { app: `1.2.${at}` } },
    ]),
  ],
  'a server that refuses': [
    { ...begun, preReceive: 'echo "only on weekdays" >&2\nexit 1', automation: {} },
    { preReceive: 'exit 0', config: { 'receive.fsckObjects': 'true' }, request: true },
  ],
  'links, modes and files that are no YAML': [
    {
      ...begun,
      commits: [
        {
          files: {
            'run.yaml': { executable: manifest('1.0.0', 'run') },
            'link.yaml': { linkTo: 'elsewhere/app.yaml' },
            'elsewhere/app.yaml': manifest('1.0.0'),
            'broken.yaml': `a: [ # {"$imagepolicy": "story:app"}\n`,
            'template.yaml': `a: {{ .Values.a }} # {"$imagepolicy": "story:app"}\n`,
            'list.json': `{"image": "${image}:1.0.0"}\n`,
            Kustomization: kustomization,
          },
        },
      ],
      automation: {},
    },
  ],
  'sources of another namespace': [
    {
      ...begun,
      automation: { sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'elsewhere-of-the-story' } },
    },
  ],
}
