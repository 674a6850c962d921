import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { type ImagePolicy, imagePolicy } from '../../foundations/kinds/image-policy.ts'
import { type ImageUpdateAutomation, imageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import { manifestsBelow, type UpdatedFiles, updateFiles } from '../../reconcile/image-update-automation/update-files.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { readLocalTree } from '../local-tree.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'

interface Options extends HubOptions {
  readonly path: string
  readonly dryRun: boolean
  readonly output: OutputForm
}

const examples = `
Examples:
  # What a run of an ImageUpdateAutomation would change in the repository that is checked out here
  keelson update images fleet -n apps --dry-run

  # Change the files of another checkout
  keelson update images fleet -n apps --path ../fleet
`

/** `keelson update`: writes what the hub has chosen into local files. */
export const updateCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  new Command('update')
    .summary('write what the hub has chosen into local files')
    .description('Writes what the hub has chosen into local files.')
    .addCommand(updateImagesCommand(env, output))

const updateImagesCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('images')
      .summary('write the latest images into marked fields')
      .description(
        "Writes the images that an ImageUpdateAutomation's policies have chosen into the marked fields of local files, as a run does, and shows the difference. Commits and pushes nothing.",
      )
      .argument('<name>', 'the ImageUpdateAutomation'),
  )
    .option('--path <folder>', 'root of the repository', '.')
    .option('--dry-run', 'show the difference without changing files', false)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (name: string, options: Options) => {
      const { automation, images } = await withHub(options, env, hub => read(hub, options.namespace, name))
      const tree = await readLocalTree(options.path, { input: process.stdin, followsLinks: false })
      const updated = update(automation, tree, images)
      if (!options.dryRun)
        for (const [file, content] of updated.files) await writeFile(join(options.path, file), content)
      output.write(asDocument(changesIn(updated), options.output) ?? describe(tree, updated))
    })

const read = async ({ cluster, signal }: HubAccess, namespace: string, name: string) => {
  const { group, kind } = imageUpdateAutomation
  const found = await cluster.get(versionOf(imageUpdateAutomation), { group, kind, namespace, name }, { signal })
  if (!found) throw new CommandFailed(`ImageUpdateAutomation ${namespace}/${name} not found`)
  const automation = found as ImageUpdateAutomation
  const labelSelector = selectorText(automation.spec.policySelector ?? {})
  const policies = { apiVersion: versionOf(imagePolicy), kind: imagePolicy.kind, namespace, labelSelector }
  const { items } = await cluster.list(policies, { signal })
  const images = (items as readonly ImagePolicy[]).flatMap(({ metadata, status }) =>
    status?.latestRef ? [{ namespace, name: metadata.name, latestRef: status.latestRef }] : [],
  )
  return { automation, images }
}

const versionOf = (kind: object): string => apiVersionOf(kind as Kind)

const update = (
  { spec }: ImageUpdateAutomation,
  tree: SourceTree,
  images: Parameters<typeof updateFiles>[2],
): UpdatedFiles => {
  const path = spec.update?.path
  const { accepts, keeps } = manifestsBelow(path)
  const manifests = new Map(tree.entries().filter(([file, { content }]) => accepts?.(file) && keeps?.(content)))
  const has = (root: string) => tree.keys().some(file => file === root || file.startsWith(`${root}/`))
  try {
    return updateFiles({ tree: manifests, has }, path, images)
  } catch (error) {
    throw new CommandFailed(errorMessage(error), { cause: error })
  }
}

const changesIn = ({ changes }: UpdatedFiles): readonly object[] =>
  [...changes].flatMap(([file, fields]) => fields.map(field => ({ file, ...field })))

/** A unified diff without context: a run changes nothing but lines with marked fields. */
const describe = (tree: SourceTree, { files }: UpdatedFiles): string => {
  if (files.size === 0) return 'the marked fields have the latest images\n'
  return [...files].map(([file, content]) => diffOf(file, linesOf(tree.get(file)!.content), linesOf(content))).join('')
}

const linesOf = (content: Uint8Array): readonly string[] => Buffer.from(content).toString().split('\n')

const diffOf = (file: string, before: readonly string[], after: readonly string[]): string => {
  const hunks = before.flatMap((line, at) =>
    line === after[at] ? [] : [`@@ -${at + 1} +${at + 1} @@\n-${line}\n+${after[at] ?? ''}\n`],
  )
  return `--- a/${file}\n+++ b/${file}\n${hunks.join('')}`
}
