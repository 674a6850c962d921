import { join } from 'node:path'
import { Command } from 'commander'
import { loadChart } from '../../sources/helm/chart.ts'
import { filesInArchive } from '../../sources/helm/chart-archive.ts'
import { artifactAddress, type RegistryOptions, withRegistryOptions, withRepository } from '../artifact-access.ts'
import { CommandFailed } from '../command-failed.ts'
import type { Terminal } from '../terminal.ts'
import { withChartErrors } from './chart-errors.ts'
import { writeBelow } from './write-below.ts'

interface PullOptions extends RegistryOptions {
  readonly version?: string
  readonly destination: string
  readonly untar: boolean
}

const CHART_LAYERS = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip']

/** `keelson helm pull`: downloads a chart from a registry. */
export const pullCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withRegistryOptions(new Command('pull'))
    .summary('pull a chart from a registry')
    .description('Downloads a chart from a registry, and optionally unpacks it.')
    .argument('<url>', 'oci://<host>/<path>, followed by :<tag> or @<digest>, or with --version')
    .option('--version <version>', 'version of the chart')
    .option('-d, --destination <folder>', 'folder to write to', '.')
    .option('--untar', 'unpack the chart', false)
    .action((url: string, options: PullOptions) => withChartErrors(() => pull(url, options, env, terminal)))

const pull = async (url: string, options: PullOptions, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<void> => {
  const { version, destination, untar } = options
  const address = artifactAddress(version === undefined ? url : `${url}:${version.replaceAll('+', '_')}`)
  const { digest, content } = await withRepository(address.repository, options, env, async visit => {
    const digest = await visit.resolve(address.reference)
    const { layers } = await visit.image(digest)
    const layer = layers.find(({ mediaType }) => CHART_LAYERS.includes(mediaType))
    if (!layer) throw new CommandFailed(`manifest does not contain a layer with mediatype ${CHART_LAYERS[0]}`)
    return { digest, content: await visit.blob(layer) }
  })
  const files = await filesInArchive(content)
  const { name, version: own } = (await loadChart(files)).metadata
  if (untar) for (const { name: path, data } of files) writeBelow(destination, join(name, path), data)
  else writeBelow(destination, `${name}-${own}.tgz`, content)
  terminal.success(`pulled ${name} ${own}`)
  terminal.success(`digest ${digest}`)
}
