import { stringify } from 'yaml'

type Fields = Record<string, unknown>

/** Words of which descriptions are made, in the proportions of controller-gen's. */
const WORDS =
  'the object that this field refers to is set by default when it was not given and may be changed later only if the controller has observed its generation which must be unique within a namespace'.split(
    ' ',
  )

/** Numbers that look like chance and are the same each time. */
class Numbers {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  below(limit: number): number {
    this.state = (this.state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(this.state / 65_536) % limit
  }
}

const sentence = (numbers: Numbers, words: number): string => {
  const text = Array.from({ length: words }, () => WORDS[numbers.below(WORDS.length)]).join(' ')
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`
}

/** Of one sentence in most cases, else of paragraphs, some with a colon, as Kubernetes types are described. */
const description = (numbers: Numbers): string => {
  const first = sentence(numbers, 6 + numbers.below(28))
  if (numbers.below(4) > 0) return first
  const more = sentence(numbers, 10 + numbers.below(40))
  return numbers.below(3) === 0
    ? `${first}\nMore info: https://example.com/docs#${numbers.below(100)}\n\n${more}`
    : `${first}\n${more}`
}

const LEAVES: readonly ((numbers: Numbers) => Fields)[] = [
  () => ({ type: 'string' }),
  () => ({ type: 'boolean' }),
  () => ({ type: 'integer', format: 'int32' }),
  numbers => ({ type: 'string', enum: ['Always', 'Never', 'IfNotPresent'].slice(0, 2 + numbers.below(2)) }),
  () => ({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' }),
  () => ({ type: 'object', additionalProperties: { type: 'string' } }),
  () => ({
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$',
    'x-kubernetes-int-or-string': true,
  }),
]

const schema = (numbers: Numbers, depth: number): Fields => {
  if (depth === 0 || numbers.below(5) < 2)
    return { description: description(numbers), ...LEAVES[numbers.below(LEAVES.length)]!(numbers) }
  const names = Array.from({ length: 3 + numbers.below(5) }, (_, i) => `field${String.fromCharCode(97 + i)}${depth}`)
  const object = {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, schema(numbers, depth - 1)])),
    required: names.slice(0, 2),
  }
  return numbers.below(4) === 0
    ? { description: description(numbers), type: 'array', items: object }
    : { description: description(numbers), ...object }
}

const definition = (index: number, depth: number): Fields => {
  const numbers = new Numbers(index + 1)
  const plural = `widget${index}s`
  const version = (name: string, storage: boolean): Fields => ({
    name,
    served: true,
    storage,
    subresources: { status: {} },
    additionalPrinterColumns: [{ jsonPath: '.metadata.creationTimestamp', name: 'Age', type: 'date' }],
    schema: {
      openAPIV3Schema: {
        description: `Widget${index} is the Schema for the ${plural} API.`,
        type: 'object',
        properties: {
          apiVersion: { description: sentence(numbers, 30), type: 'string' },
          kind: { description: sentence(numbers, 30), type: 'string' },
          metadata: { type: 'object' },
          spec: { ...schema(numbers, depth), type: 'object' },
          status: { ...schema(numbers, depth - 1), type: 'object' },
        },
      },
    },
  })
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      annotations: { 'controller-gen.kubebuilder.io/version': 'v0.19.0' },
      name: `${plural}.bench.example.com`,
    },
    spec: {
      group: 'bench.example.com',
      names: { kind: `Widget${index}`, listKind: `Widget${index}List`, plural, singular: `widget${index}` },
      scope: 'Namespaced',
      versions: [version('v1beta1', false), version('v1', true)],
    },
  }
}

const conversion = (index: number): Fields => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widget${index}s.bench.example.com` },
  spec: {
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace: 'system', name: 'webhook-service', path: '/convert' } },
        conversionReviewVersions: ['v1'],
      },
    },
  },
})

/**
 * Definitions as controller-gen writes them, with the kustomizations of kubebuilder around: no comments, long descriptions, deep
 * nesting. The shape is that of operators' repositories; the words are ours.
 */
export const definitionTree = (count: number, depth: number): Record<string, string> => {
  const numbers = Array.from({ length: count }, (_, i) => i)
  const files: Record<string, string> = {}
  for (const i of numbers)
    files[`crd/bases/widget${i}s.yaml`] = `---\n${stringify(definition(i, depth), { blockQuote: 'literal' })}`
  for (const i of numbers.slice(0, 3)) files[`crd/patches/webhook_in_widget${i}s.yaml`] = stringify(conversion(i))
  files['crd/kustomization.yaml'] = stringify({
    resources: numbers.map(i => `bases/widget${i}s.yaml`),
    patches: numbers.slice(0, 3).map(i => ({ path: `patches/webhook_in_widget${i}s.yaml` })),
    labels: [{ pairs: { 'bench.example.com/provider': 'widgets' } }],
  })
  files['manager/service.yaml'] = stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'webhook-service', namespace: 'system' },
    spec: { ports: [{ port: 443, targetPort: 9443 }], selector: { 'control-plane': 'controller-manager' } },
  })
  files['manager/kustomization.yaml'] = stringify({ resources: ['service.yaml'] })
  files['default/kustomization.yaml'] = stringify({
    namespace: 'widgets-system',
    namePrefix: 'widgets-',
    resources: ['../crd', '../manager'],
  })
  return files
}
