import { Command } from 'commander'
import { inputsOf } from '../../engines/resource-set/combine-inputs.ts'
import { render } from '../../engines/resource-set/render.ts'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import { isObject, type JsonValue } from '../../engines/yaml/json-value.ts'
import { adler32 } from '../../foundations/go/adler32.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { type InputSet, type ResourceSet, resourceSet } from '../../foundations/kinds/resource-set.ts'
import {
  type ResourceSetInputProvider,
  resourceSetInputProvider,
} from '../../foundations/kinds/resource-set-input-provider.ts'
import { createReferences, type ReferenceReader } from '../../hub/references/references.ts'
import { parseLabelSelector } from '../../hub/store/label-selector.ts'
import { resolveInputs } from '../../reconcile/resource-set/resolve-inputs.ts'
import { CommandFailed } from '../command-failed.ts'
import { checkedManifest, isOf, readDocuments } from '../manifest-file.ts'

interface Options {
  readonly file: string
  readonly inputsFrom?: string
  readonly inputsFromProvider?: string
}

const examples = `
Examples:
  # What the ResourceSet in a file would apply, with the inputs that it holds
  keelson build resourceset -f ./apps.yaml

  # The same with inputs that a provider would find, from a list in a file
  keelson build resourceset -f ./apps.yaml --inputs-from ./test-inputs.yaml

  # The same with the default values of input providers of the type Static
  keelson build resourceset -f ./apps.yaml --inputs-from-provider ./providers.yaml
`

/** `keelson build resourceset`: prints what a ResourceSet would apply, from files, without a hub. */
export const buildResourceSetCommand = (output: NodeJS.WritableStream): Command =>
  new Command('resourceset')
    .alias('rset')
    .summary('build what a ResourceSet would apply')
    .description('Renders the templates of a ResourceSet in a file and prints the objects.')
    .requiredOption('-f, --file <file>', 'the ResourceSet; - for standard input')
    .option('--inputs-from <file>', 'additional sets of inputs, as a list in YAML')
    .option('--inputs-from-provider <file>', 'input providers of type Static, in YAML')
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      output.write(await buildText(options))
    })

const buildText = async ({ file, inputsFrom, inputsFromProvider }: Options): Promise<string> => {
  const set = readOne(file)
  const { inputs = [], inputsFrom: references } = set.spec
  if (references && inputs.length === 0 && !inputsFrom && !inputsFromProvider)
    throw new CommandFailed(
      `${file}: spec.inputsFrom needs the inputs of providers: pass them with --inputs-from or --inputs-from-provider`,
    )
  if (!references && inputsFromProvider)
    throw new CommandFailed(`${file}: spec.inputsFrom is not set, so the given providers have no effect`)
  const given = inputsFrom ? readInputs(inputsFrom) : []
  const whole = { ...set, spec: { ...set.spec, inputs: [...inputs, ...given] } }
  const providers = inputsFromProvider ? providersIn(inputsFromProvider) : undefined
  try {
    const sets = providers ? await resolveInputs(whole, createReferences(providers)) : inputsOf(whole, [])
    return render(set.spec, sets)
      .map(({ name, objects }) =>
        [...(name === undefined ? [] : [`# step: ${name}\n`]), ...objects.map(asText)].join(''),
      )
      .join('')
  } catch (error) {
    throw new CommandFailed(`${file}: build failed: ${(error as Error).message}`, { cause: error })
  }
}

/** The providers in a file, as in a hub: in the ResourceSet's namespace, whatever that is. */
const providersIn = (file: string): ReferenceReader => {
  const providers = readDocuments(file).map(staticProvider(file))
  const list = ({ labelSelector = '' }: { readonly labelSelector?: string }) => {
    const isSelected = parseLabelSelector(labelSelector)
    return { items: providers.filter(({ metadata }) => isSelected(metadata.labels ?? {})), resourceVersion: '' }
  }
  return {
    get: async ({ name }: ObjectRef) => providers.find(({ metadata }) => metadata.name === name),
    list: async (query: Parameters<typeof list>[0]) => list(query),
    async *referrers() {},
  } as ReferenceReader
}

const asText = (object: KubernetesObject): string => `${emitJson(object as unknown as JsonValue)}---\n`

const readOne = (file: string): ResourceSet => {
  const documents = readDocuments(file)
  const sets = documents.filter(isOf(resourceSet as unknown as Kind))
  if (sets.length !== 1)
    throw new CommandFailed(
      `${file}: it must contain one ResourceSet, found ${sets.length} (in ${documents.length} documents)`,
    )
  return checkedManifest(file, resourceSet as unknown as Kind, sets[0]!) as ResourceSet
}

const staticProvider =
  (file: string) =>
  (document: JsonValue): ResourceSetInputProvider => {
    const kind = resourceSetInputProvider as unknown as Kind
    if (!isOf(kind)(document)) throw new CommandFailed(`${file}: it must contain only ResourceSetInputProviders`)
    const provider = checkedManifest(file, kind, document) as ResourceSetInputProvider
    const { type, defaultValues = {} } = provider.spec
    if (type !== 'Static')
      throw new CommandFailed(
        `${file}: ${provider.metadata.name} has the type ${type}: only providers of type Static contain their inputs`,
      )
    const id = String(adler32(provider.metadata.uid ?? provider.metadata.name))
    return { ...provider, status: { exportedInputs: [{ ...defaultValues, id }] } }
  }

const readInputs = (file: string): readonly InputSet[] => {
  const documents = readDocuments(file)
  const sets = documents.flat()
  if (!documents.every(Array.isArray) || !sets.every(isObject))
    throw new CommandFailed(`${file}: it must contain a list of input sets`)
  return sets
}
