import { Command } from 'commander'
import { nameOf } from '../../sources/oci/image-name.ts'
import { artifactAddress, type RegistryOptions, withRegistryOptions, withRepository } from '../artifact-access.ts'
import { CommandFailed } from '../command-failed.ts'
import { textList } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

interface TagOptions extends RegistryOptions {
  readonly tag: readonly string[]
}

/** `keelson tag`: adds tags to an artifact in a registry. */
export const tagCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  new Command('tag').description('Adds tags to artifacts in registries.').addCommand(
    withRegistryOptions(new Command('artifact'))
      .summary('add tags to an artifact')
      .description('Adds tags to an artifact in a registry.')
      .argument('<url>', 'oci://<host>/<path>:<tag> or oci://<host>/<path>@<digest>')
      .requiredOption('--tag <tags>', 'tags to add, separated by commas; may be repeated', tagList, [])
      .action((url: string, options: TagOptions) => tag(url, options, env, terminal)),
  )

const tagList = (text: string, known: readonly string[]): readonly string[] => [...known, ...textList(text)]

const tag = async (url: string, options: TagOptions, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<void> => {
  const { repository, reference } = artifactAddress(url)
  if (options.tag.length === 0) throw new CommandFailed('--tag is required')
  const wrong = options.tag.find(name => !/^\w[\w.-]{0,127}$/.test(name))
  if (wrong !== undefined) throw new CommandFailed(`'${wrong}' is not a tag`)
  terminal.action('tagging artifact')
  await withRepository(repository, options, env, async visit => {
    const { content, manifest } = await visit.manifest(reference)
    for (const name of options.tag) {
      await visit.pushManifest(content, manifest.mediaType, name)
      terminal.success(`artifact tagged as ${nameOf(repository)}:${name}`)
    }
  })
}
