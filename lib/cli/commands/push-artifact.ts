import { gunzipSync } from 'node:zlib'
import { Command, Option } from 'commander'
import { ignoring, readPatterns } from '../../engines/ignore/source-ignore.ts'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import { archive } from '../../sources/artifact/archive.ts'
import { nameOf } from '../../sources/oci/image-name.ts'
import { isDigest, mediaTypes } from '../../sources/oci/manifest.ts'
import type { OciSession } from '../../sources/oci/oci-client.ts'
import {
  artifactAddress,
  type RegistryOptions,
  shownAddress,
  withRegistryOptions,
  withRepository,
} from '../artifact-access.ts'
import { CommandFailed } from '../command-failed.ts'
import { readLocalTree } from '../local-tree.ts'
import { textList } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

interface PushOptions extends RegistryOptions {
  readonly path: string
  readonly source: string
  readonly revision: string
  readonly annotations: Readonly<Record<string, string>>
  readonly ignorePaths: readonly string[]
  readonly addIgnorePaths: readonly string[]
  readonly output?: 'json' | 'yaml'
  readonly reproducible: boolean
  readonly resolveSymlinks: boolean
}

interface Streams {
  readonly input: AsyncIterable<Uint8Array | string>
  readonly output: NodeJS.WritableStream
}

const configType = 'application/vnd.cncf.flux.config.v1+json'
const contentType = 'application/vnd.cncf.flux.content.v1.tar+gzip'
const label = 'org.opencontainers.image'
const versionControl = ['.git/', '.gitignore', '.gitmodules', '.gitattributes']
const noManifests = ['*.jpg', '*.jpeg', '*.gif', '*.png', '*.wmv', '*.flv', '*.tar.gz', '*.zip']

const examples = `
Examples:
  # Push the manifests of this commit
  keelson push artifact oci://ghcr.io/org/app:$(git rev-parse --short HEAD) \\
    --path ./deploy \\
    --source "$(git config --get remote.origin.url)" \\
    --revision "$(git branch --show-current)@sha1:$(git rev-parse HEAD)"

  # Push what another program prints
  kustomize build . | keelson push artifact oci://ghcr.io/org/app:latest -f - --source - --revision -
`

/** `keelson push`: uploads files to a registry. */
export const pushCommand = (env: NodeJS.ProcessEnv, streams: Streams, terminal: Terminal): Command =>
  new Command('push')
    .description('Uploads local files to registries.')
    .addCommand(pushArtifactCommand(env, streams, terminal))

const pushArtifactCommand = (env: NodeJS.ProcessEnv, streams: Streams, terminal: Terminal): Command =>
  withRegistryOptions(new Command('artifact'))
    .summary('push files as an artifact')
    .description('Packs a folder or a file and pushes it as an artifact that an OCIRepository can refer to.')
    .argument('<url>', 'oci://<host>/<path>:<tag>')
    .requiredOption('-f, --path <path>', 'folder or file to push, - for standard input')
    .requiredOption('--source <url>', 'source of the files, such as the URL of a git repository')
    .requiredOption('--revision <revision>', 'revision of the files, as <branch|tag>@sha1:<commit>')
    .option('-a, --annotations <key=value>', 'annotate the artifact; may be repeated', withAnnotation, {})
    .addOption(
      new Option('--ignore-paths <patterns>', 'ignore these paths (.gitignore patterns, separated by commas)')
        .argParser(textList)
        .default([...versionControl, ...noManifests], 'git files, images and archives'),
    )
    .option('--add-ignore-paths <patterns>', 'ignore these paths too', textList, [])
    .addOption(new Option('-o, --output <format>', 'describe the artifact in this format').choices(['json', 'yaml']))
    .option('--reproducible', 'set the creation time to 1970, so that equal files have equal digests', false)
    .option('--resolve-symlinks', 'push the targets of symbolic links', false)
    .addHelpText('after', examples)
    .action((url: string, options: PushOptions) => push(url, options, env, streams, terminal))

const withAnnotation = (text: string, known: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const [key = '', value, ...more] = text.split('=')
  if (key === '' || value === undefined || more.length > 0) {
    throw new CommandFailed(`invalid annotation ${text}, must be in the format key=value`)
  }
  return { ...known, [key]: value }
}

const push = async (
  url: string,
  options: PushOptions,
  env: NodeJS.ProcessEnv,
  streams: Streams,
  terminal: Terminal,
): Promise<void> => {
  const address = artifactAddress(url)
  if (isDigest(address.reference)) throw new CommandFailed(`'${url}': an artifact is pushed to a tag, not to a digest`)
  const tree = await readLocalTree(options.path, { input: streams.input, followsLinks: options.resolveSymlinks })
  const patterns = readPatterns([...options.ignorePaths, ...options.addIgnorePaths].join('\n'))
  const { content } = await archive(tree, ignoring(patterns))
  if (!options.output) terminal.action(`pushing artifact to ${shownAddress(address)}`)
  const digest = await withRepository(address.repository, options, env, visit =>
    store(visit, content, address.reference, options),
  )
  const repository = nameOf(address.repository)
  const info = { url: `oci://${repository}@${digest}`, repository, tag: address.reference, digest }
  if (options.output === 'json') streams.output.write(`${JSON.stringify(info, null, 2)}\n`)
  else if (options.output === 'yaml') streams.output.write(emitJson(info))
  else terminal.success(`artifact successfully pushed to ${repository}@${digest}`)
}

const store = async (visit: OciSession, content: Buffer, tag: string, options: PushOptions): Promise<string> => {
  const made = options.reproducible ? 0 : Math.floor(Date.now() / 1000) * 1000
  const created = new Date(made).toISOString().replace('.000Z', 'Z')
  const layer = await visit.pushBlob(content, contentType)
  const config = await visit.pushBlob(Buffer.from(configOf(content, created)), configType)
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: [layer],
    annotations: {
      [`${label}.created`]: created,
      [`${label}.source`]: options.source,
      [`${label}.revision`]: options.revision,
      ...options.annotations,
    },
  }
  return visit.pushManifest(Buffer.from(JSON.stringify(manifest)), mediaTypes.manifest, tag)
}

/** Programs expect this of an image. */
const configOf = (content: Buffer, created: string): string => {
  const diff = sha256Hex(gunzipSync(content))
  return JSON.stringify({
    architecture: '',
    created,
    history: [{ created }],
    os: '',
    rootfs: { type: 'layers', diff_ids: [`sha256:${diff}`] },
    config: {},
  })
}
