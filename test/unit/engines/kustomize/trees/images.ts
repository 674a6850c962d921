import { type Trees, tree } from './tree.ts'

const digest = 'sha256:0123abcd'

/** References in every form, in a list of containers each. */
const references = [
  'nginx',
  'nginx:1',
  `nginx@${digest}`,
  `nginx:1@${digest}`,
  'nginx:{BUILD}',
  'nginx@multihash+base58:Qm0',
  'nginx@other.alg:x:y',
  'nginx@nothing',
  'nginx:1:2',
  'nginx:a+b',
  'nginx/sub:1',
  'nginx-extra:1',
  'my-nginx:1',
  'nginX:1',
  ':1',
  `@${digest}`,
  `:1@${digest}`,
  '',
  '/nginx:1',
  'host:5000/nginx',
  'host:5000/nginx:1',
  `host:5000/nginx@${digest}`,
  `host:5000/nginx:1@${digest}`,
  '.*:1',
  'ngin.:1',
  '[:1',
]

const list = references.map(image => `  - image: "${image}"\n`).join('')
const files = {
  'all.yaml': `apiVersion: example.com/v1
kind: Widget
metadata: {name: references}
spec:
  containers:
${list}`,
}

/** All the references, with one entry of `images`. */
const images = (entry: string) => tree(`resources: [all.yaml]\nimages:\n- ${entry}\n`, files)

const places = `
  containers: [{image: nginx, name: a}, {name: no-image}, {}, null, {image: null}, {image: nginx}]
  initContainers: [{image: nginx, containers: [{image: nginx:inner}]}]
  ephemeralContainers: [{image: nginx}]
  image: nginx
  list:
  - initContainers: [{image: nginx}]
  - []
  - {}
  - text
  - [[{deep: {containers: [{image: nginx}]}}]]
  asMap: {containers: {image: nginx, inner: {image: nginx}}, initContainers: {}}
  asText: {containers: nginx, initContainers: null}
  none: {containers: []}
  wrapped: {containers: [{list: [{containers: [{image: nginx:2}]}]}]}
`
const widget = (spec: string, kind = 'Widget') =>
  `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: w}\nspec:${spec}`

const inPlaces = (spec: string, kind: string, more = '') =>
  tree(`resources: [w.yaml]\nimages:\n- {name: nginx, newTag: "9"}\n- {name: nginx, newName: other}\n${more}`, {
    'w.yaml': widget(spec, kind),
    'specs.yaml':
      'images:\n- {path: spec/image, kind: Widget}\n- {path: spec/ephemeralContainers/image, create: true}\n- {path: spec/new/image, create: true}\n',
  })

export const trees: Trees = {
  'images are changed whose name matches, whatever tag and digest they have': [
    images('{name: nginx, newTag: "9"}'),
    images('{name: nginx, newTag: "8"}'),
    images('{name: nginx, newName: other.io/x}'),
    images('{name: nginx, digest: "sha256:ff"}'),
    images('{name: nginx, newTag: "9", digest: "sha256:ff"}'),
    images('{name: nginx, newName: other, newTag: "9", tagSuffix: -s}'),
    images('{name: nginx, tagSuffix: -s}'),
    images('{name: nginx, digest: "sha256:ff", tagSuffix: -s}'),
    images('{name: nginx}'),
    images('{newTag: "9"}'),
    images('{newName: other}'),
    images('{name: "host:5000/nginx", newTag: "9"}'),
    images('{name: "host:5000/nginx", newName: "h:1/x", tagSuffix: -s}'),
    images('{name: /nginx, newTag: "9"}'),
  ],
  'the name of an image is a pattern': [
    images('{name: "ngin.", newTag: "9"}'),
    images('{name: ".*", newTag: "9"}'),
    images('{name: ".", newTag: "9"}'),
    images('{name: "[", newTag: "9"}'),
    images('{name: "(?i)NGINX", newTag: "9"}'),
    images('{name: "nginx|/nginx", newTag: "9"}'),
    images('{name: "(my-)?nginx(-extra)?", newName: "$1x"}'),
  ],
  'images are found in every list of containers, and wherever a configuration says': [
    inPlaces(places, 'Widget'),
    inPlaces(places, 'Gadget', 'configurations: [specs.yaml]\n'),
    inPlaces(places, 'Widget', 'configurations: [specs.yaml]\n'),
    inPlaces(places, 'CustomResourceDefinition', 'configurations: [specs.yaml]\n'),
    inPlaces('\n  containers: [{image: {a: nginx}}]\n', 'Widget'),
    inPlaces('\n  list: {containers: [text]}\n', 'Widget'),
    inPlaces('\n  list: {containers: [[{image: nginx}]]}\n', 'Widget'),
    inPlaces('\n  image: [nginx]\n', 'Widget', 'configurations: [specs.yaml]\n'),
    inPlaces('\n  ephemeralContainers: text\n', 'Widget', 'configurations: [specs.yaml]\n'),
  ],
}
