import { statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { extract, InvalidArchive } from '../../sources/artifact/extract.ts'
import { isDigest } from '../../sources/oci/manifest.ts'
import {
  artifactAddress,
  type RegistryOptions,
  shownAddress,
  withRegistryOptions,
  withRepository,
} from '../artifact-access.ts'
import { CommandFailed } from '../command-failed.ts'
import type { Terminal } from '../terminal.ts'

interface PullOptions extends RegistryOptions {
  readonly output: string
}

const label = 'org.opencontainers.image'

/** `keelson pull`: downloads files from a registry. */
export const pullCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  new Command('pull').description('Downloads files from registries.').addCommand(
    withRegistryOptions(new Command('artifact'))
      .summary('pull the files of an artifact')
      .description('Writes the files of an artifact in a registry into a folder.')
      .argument('<url>', 'oci://<host>/<path>:<tag> or oci://<host>/<path>@<digest>')
      .requiredOption('-o, --output <folder>', 'existing folder to write to')
      .action((url: string, options: PullOptions) => pull(url, options, env, terminal)),
  )

const pull = async (url: string, options: PullOptions, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<void> => {
  const address = artifactAddress(url)
  if (!statSync(options.output, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailed(`invalid output path ${JSON.stringify(options.output)}: no such folder`)
  }
  terminal.action(`pulling artifact from ${shownAddress(address)}`)
  const { digest, annotations, tree } = await withRepository(address.repository, options, env, async visit => {
    const digest = isDigest(address.reference) ? address.reference : await visit.resolve(address.reference)
    const { layers, annotations } = await visit.image(digest)
    if (!layers[0]) throw new CommandFailed('no layers found in artifact')
    return { digest, annotations, tree: await extract(await visit.blob(layers[0])).catch(notReadable) }
  })
  for (const [path, { content, executable }] of tree) {
    const file = join(options.output, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { mode: executable ? 0o755 : 0o644 })
  }
  for (const about of ['source', 'revision']) {
    const value = annotations[`${label}.${about}`]
    if (value) terminal.success(`${about} ${value}`)
  }
  terminal.success(`digest ${digest}`)
  terminal.success(`artifact content extracted to ${options.output}`)
}

const notReadable = (error: unknown): never => {
  if (!(error instanceof InvalidArchive)) throw error
  throw new CommandFailed(`the artifact is not an archive of files: ${error.message}`, { cause: error })
}
