import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Chart } from '../../engines/helm/chart.ts'
import { requireDependencies } from '../../engines/helm/require-dependencies.ts'
import { validateMetadata } from '../../sources/helm/chart-metadata.ts'
import { packageChart } from '../../sources/helm/package-chart.ts'
import { CommandFailed } from '../command-failed.ts'
import { withChartErrors } from './chart-errors.ts'
import { loadDetectedChart } from './local-chart.ts'
import { writeBelow } from './write-below.ts'

interface PackageOptions {
  readonly destination: string
  readonly version?: string
  readonly appVersion?: string
}

/** `keelson helm package`: packs chart folders into archives. */
export const packageCommand = (output: NodeJS.WritableStream): Command =>
  new Command('package')
    .summary('package a chart')
    .description('Packs chart folders into archives, reproducibly: the same chart always gives the same bytes.')
    .argument('<folders...>', 'folders of charts')
    .option('-d, --destination <folder>', 'folder to write to', '.')
    .option('--version <version>', "set the chart's version")
    .option('--app-version <version>', "set the chart's appVersion")
    .action((folders: string[], options: PackageOptions) =>
      withChartErrors(async () => {
        for (const folder of folders)
          output.write(`Successfully packaged chart and saved it to: ${await pack(folder, options)}\n`)
      }),
    )

const pack = async (folder: string, { destination, version, appVersion }: PackageOptions): Promise<string> => {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFailed(`${folder} is not a folder with a chart`)
  const loaded = await loadDetectedChart(folder)
  const metadata: Chart['metadata'] = {
    ...loaded.metadata,
    ...(version !== undefined && { version }),
    ...(appVersion !== undefined && { appVersion }),
  }
  validateMetadata(metadata)
  requireDependencies(metadata, loaded.dependencies)
  const { content } = await packageChart({ ...loaded, metadata })
  const name = `${metadata.name}-${metadata.version}.tgz`
  writeBelow(destination, name, content)
  return resolve(destination, name)
}
