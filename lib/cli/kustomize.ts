import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { localPlugins } from '../compose/plugins.ts'
import { type BuildResult, type BuiltResource, build, printResources } from '../kustomize/build.ts'
import { KustomizeError } from '../kustomize/kustomize-error.ts'
import { CommandFailed } from './command-failed.ts'
import { diskTree } from './disk-tree.ts'

interface KustomizeOptions {
  readonly output?: string
  readonly reorder: 'legacy' | 'none'
  readonly loadRestrictor: 'LoadRestrictionsRootOnly' | 'LoadRestrictionsNone'
  readonly enableManagedbyLabel: boolean
  readonly enableAlphaPlugins: boolean
  readonly enableExec: boolean
  readonly pluginGroups: readonly string[]
  readonly strictPlugins: boolean
}

const examples = `
Examples:
  # Build the current directory
  keelson kustomize

  # Build a directory, with bases and patches outside of it
  keelson kustomize overlays/staging --load-restrictor LoadRestrictionsNone

  # Write every object to a file of its own
  keelson kustomize overlays/staging -o rendered/

  # Let the plugins of one API group run
  keelson kustomize . --enable-alpha-plugins --plugin-groups team.example.com
`

/** `keelson kustomize`: builds a directory as kubectl kustomize does, and prints the objects. */
export const kustomizeCommand = (output: NodeJS.WritableStream, errors: NodeJS.WritableStream): Command =>
  new Command('kustomize')
    .summary('build a kustomization')
    .description('Builds the kustomization in a directory and prints its objects, byte for byte as kustomize does.')
    .argument('[dir]', 'directory with a kustomization.yaml', '.')
    .option('-o, --output <path>', 'write to this file, or to a file per object in this directory')
    .addOption(new Option('--reorder <order>', 'order of the objects').choices(['legacy', 'none']).default('legacy'))
    .addOption(
      new Option('--load-restrictor <rule>', 'whether files outside of the kustomization may be read')
        .choices(['LoadRestrictionsRootOnly', 'LoadRestrictionsNone'])
        .default('LoadRestrictionsRootOnly'),
    )
    .option('--enable-managedby-label', 'label all objects with app.kubernetes.io/managed-by', false)
    .option('--enable-alpha-plugins', 'let plugins run', false)
    .option('--enable-exec', 'with --enable-alpha-plugins: let functions run that are programs of the tree', false)
    .option(
      '--plugin-groups <groups>',
      'API groups whose installed plugins may run, separated by commas',
      splitList,
      [],
    )
    .option('--strict-plugins', 'run every plugin twice, and refuse one whose output differs', false)
    .addHelpText('after', examples)
    .action((dir: string, options: KustomizeOptions) => run(dir, options, output, errors))

const splitList = (text: string): string[] => text.split(',').filter(part => part !== '')

const run = async (
  dir: string,
  options: KustomizeOptions,
  output: NodeJS.WritableStream,
  errors: NodeJS.WritableStream,
): Promise<void> => {
  const { resources, warnings } = await buildDirectory(dir, options)
  for (const warning of warnings) errors.write(`${warning}\n`)
  if (options.output === undefined) output.write(printResources(resources))
  else if (isDirectory(options.output)) writeEach(options.output, resources)
  else writeFileSync(options.output, printResources(resources))
}

const buildDirectory = async (dir: string, options: KustomizeOptions): Promise<BuildResult> => {
  const { enableAlphaPlugins, enableExec, pluginGroups, strictPlugins } = options
  try {
    return await build(diskTree(), resolve(dir).slice(1), {
      reorder: options.reorder,
      loadRestrictions: options.loadRestrictor === 'LoadRestrictionsNone' ? 'none' : 'root-only',
      managedByLabel: options.enableManagedbyLabel,
      ...(enableAlphaPlugins && {
        plugins: { runner: localPlugins(), groups: pluginGroups, localFunctions: enableExec, strict: strictPlugins },
      }),
    })
  } catch (error) {
    if (!(error instanceof KustomizeError)) throw error
    throw new CommandFailed(withPlace(error), { cause: error })
  }
}

/** kustomize's words, and the place when they don't name it. */
const withPlace = ({ message, file, field }: KustomizeError): string => {
  const place = [file && `file: /${file}`, field && `field: ${field}`].filter(part => part).join(', ')
  return place === '' ? message : `${message}\n(${place})`
}

const isDirectory = (path: string): boolean =>
  path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** One file per object, named after its kind and name; the namespace goes in front when there are several. */
const writeEach = (directory: string, resources: readonly BuiltResource[]): void => {
  mkdirSync(directory, { recursive: true })
  const namespaceOf = ({ object }: BuiltResource): string => textOf(object, 'metadata', 'namespace') || 'default'
  const several = new Set(resources.map(namespaceOf)).size > 1
  for (const resource of resources) {
    const { object } = resource
    const kind = [...textOf(object, 'apiVersion').split('/'), textOf(object, 'kind')].join('_')
    const name = `${kind}_${textOf(object, 'metadata', 'name')}.yaml`.toLowerCase()
    const file = several ? `${namespaceOf(resource).toLowerCase()}_${name}` : name
    writeFileSync(join(directory, file), resource.yaml)
  }
}

const textOf = (object: unknown, ...path: readonly string[]): string => {
  let value = object
  for (const key of path)
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : ''
  return typeof value === 'string' ? value : ''
}
