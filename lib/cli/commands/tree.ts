import { Command, Option } from 'commander'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import type { JsonValue } from '../../engines/yaml/json-value.ts'
import { objectStateOf } from '../../foundations/fleet/object-state.ts'
import { type ArtifactGenerator, artifactGenerator } from '../../foundations/kinds/artifact-generator.ts'
import { externalArtifact } from '../../foundations/kinds/external-artifact.ts'
import { helmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type Kustomization, kustomization } from '../../foundations/kinds/kustomization.ts'
import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { isHubGroup } from '../../foundations/kinds/references.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { type Lookup, lookupIn } from '../local-build.ts'
import { isSame } from '../local-kustomization.ts'
import { drawTree, type ObjectTree, treeData } from '../object-tree.ts'
import { targetOf } from '../target-of.ts'

interface Options extends HubOptions {
  readonly compact: boolean
  readonly output: 'tree' | 'json' | 'yaml'
}

const examples = `
Examples:
  # The objects that the Kustomization flux-system manages, and those that its Kustomizations manage
  keelson tree kustomization flux-system

  # Flux objects only
  keelson tree kustomization flux-system --compact

  # The objects of a release
  keelson tree helmrelease podinfo -n apps
`

/** `keelson tree`: the objects that a Kustomization or HelmRelease has applied, recursively, and the artifacts that a generator has made. */
export const treeCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  new Command('tree')
    .summary('show the objects that a Flux object manages')
    .description('Shows the objects that a Flux object manages, as a tree.')
    .addCommand(treeOfKind(kustomization, 'ks', 'the objects of a Kustomization, recursively', env, output))
    .addCommand(treeOfKind(helmRelease, 'hr', 'the objects of a HelmRelease', env, output))
    .addCommand(treeOfKind(artifactGenerator, 'ag', 'the ExternalArtifacts of an ArtifactGenerator', env, output))

const treeOfKind = (
  { group, kind, singular, plural }: Named,
  alias: string,
  what: string,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream,
): Command =>
  withHubOptions(
    new Command(singular)
      .alias(alias)
      .summary(`show ${what}`)
      .description(`Shows ${what}.`)
      .argument('<name>', `name of the ${kind}`),
  )
    .option('--compact', 'show Flux objects only', false)
    .addOption(new Option('-o, --output <form>', 'output format').choices(['tree', 'json', 'yaml']).default('tree'))
    .addHelpText('after', examples)
    .action(async (name: string, options: Options) => {
      const tree = await withHub(options, env, async ({ cluster, signal }) => {
        const lookup = lookupIn(cluster, signal)
        const root = await lookup.get<Manager>({ group, kind, namespace: options.namespace, name })
        if (!root) throw new CommandFailed(`failed to get ${singular} object: ${plural}.${group} "${name}" not found`)
        return treeOf(root, { lookup, compact: options.compact, reported: new Set() })
      })
      output.write(printed(tree, options.output))
    })

type Named = Pick<Kind, 'group' | 'kind' | 'singular' | 'plural'>

const printed = (tree: ObjectTree, form: Options['output']): string => {
  if (form === 'tree') return `${drawTree(tree)}\n`
  const data = treeData(tree)
  return form === 'json' ? `${JSON.stringify(data, null, 2)}\n` : `${emitJson(data as JsonValue)}\n`
}

/** Kinds with an inventory: their objects are shown below them. */
const managers = new Set([
  'kustomize.toolkit.fluxcd.io/Kustomization',
  'fluxcd.controlplane.io/ResourceSet',
  'helm.toolkit.fluxcd.io/HelmRelease',
  'source.extensions.fluxcd.io/ArtifactGenerator',
])

type Manager = KubernetesObject & {
  readonly spec?: { readonly kubeConfig?: unknown }
  readonly status?: Kustomization['status'] | ArtifactGenerator['status']
}

/** The objects in the inventory of a manager. */
const inventoryOf = ({ status }: Manager): readonly ObjectRef[] => {
  const { inventory = [] } = status ?? {}
  if (!('length' in inventory)) return inventory.entries.map(entry => inventoryObject(entry).ref)
  const { group, kind } = externalArtifact
  return inventory.map(({ namespace, name }) => ({ group, kind, namespace, name }))
}

interface Context {
  readonly lookup: NonNullable<Lookup>
  readonly compact: boolean
  /** Causes of failures that have been shown: each is shown once. */
  readonly reported: Set<string>
}

const treeOf = async (manager: Manager, context: Context): Promise<ObjectTree> => {
  const note = await noteOf(manager, context)
  const children: ObjectTree[] = []
  for (const ref of inventoryOf(manager)) {
    if (context.compact && !isHubGroup(ref.group)) continue
    if (isSame({ metadata: ref } as unknown as KubernetesObject, manager) && ref.kind === manager.kind) continue
    children.push(await branchOf(ref, manager, context))
  }
  return { ref: refOf(manager), note, children }
}

/** Objects on another cluster are not looked up in the hub, where other objects may have the same names. */
const branchOf = async (ref: ObjectRef, manager: Manager, context: Context): Promise<ObjectTree> => {
  const isOfHub = isHubGroup(ref.group) && !manager.spec?.kubeConfig
  const found = isOfHub ? await context.lookup.get<Manager>(ref).catch(() => undefined) : undefined
  if (!found) return { ref, children: [] }
  return managers.has(`${ref.group}/${ref.kind}`)
    ? treeOf(found, context)
    : { ref, note: await noteOf(found, context), children: [] }
}

/** `(ready; kubeconfig in Secret apps/prod)`, or the reason why not; a reason that was shown above is not repeated. */
const noteOf = async (object: Manager, { reported, lookup }: Context): Promise<string> => {
  const { state, message } = objectStateOf(object)
  const [line = ''] = message.split('\n')
  const target = await targetOf(object, lookup)
  const standing =
    state === 'ready' ? state : state === 'suspended' ? line : `${state}: ${reported.has(line) ? 'as above' : line}`
  reported.add(line)
  return `(${standing}${target ? `; ${target}` : ''})`
}
