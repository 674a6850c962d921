import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ChartFile } from '../../engines/helm/chart.ts'
import { BadTar, readTar, type TarMember } from '../artifact/tar-reader.ts'
import { BadChart } from './bad-chart.ts'
import { withoutMark } from './byte-order-mark.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'

/** The files in a packaged chart, without the folder that they all lie in. Fails with BadChart, in Helm's words. */
export const filesInArchive = async (
  content: Uint8Array,
  limits: HelmLimits = helmLimits,
): Promise<readonly ChartFile[]> => {
  const files: ChartFile[] = []
  let entries = 0
  for (const { name, type, content: data } of membersOf(await decompress(content, limits))) {
    if (++entries > limits.maxEntries) throw new BadChart(`chart holds more than ${limits.maxEntries} files`)
    if (type === 'directory') continue
    if (data.length > limits.maxChartFileBytes) {
      throw new BadChart(`size of '${name}' exceeds '${limits.maxChartFileBytes}' bytes limit`)
    }
    files.push({ name: pathInChart(name), data: withoutMark(data) })
  }
  if (files.length === 0) throw new BadChart('no files in chart archive')
  return files
}

const decompress = async (content: Uint8Array, limits: HelmLimits): Promise<Buffer> => {
  if (content.length > limits.maxChartBytes) {
    throw new BadChart(`size of chart exceeds '${limits.maxChartBytes}' bytes limit`)
  }
  try {
    return await promisify(gunzip)(content, { maxOutputLength: limits.maxUnpackedBytes })
  } catch (cause) {
    const isLarge = (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new BadChart(
      isLarge ? `chart unpacks to more than ${limits.maxUnpackedBytes} bytes` : 'gzip: invalid header',
      cause,
    )
  }
}

function* membersOf(tar: Buffer): Generator<TarMember> {
  try {
    yield* readTar(tar)
  } catch (cause) {
    throw cause instanceof BadTar ? new BadChart('the chart archive is damaged', cause) : cause
  }
}

/** Archives made on Windows may have backslashes in their names. */
const pathInChart = (name: string): string => {
  const delimiter = name.includes('\\') ? '\\' : '/'
  const inside = name.split(delimiter).slice(1).join('/')
  if (inside.startsWith('/')) throw new BadChart('chart illegally contains absolute paths')
  const parts = inside.split('/').filter(part => part !== '' && part !== '.')
  if (parts.length === 0) {
    throw new BadChart(`chart illegally contains content outside the base directory: ${name}`)
  }
  if (parts.includes('..')) throw new BadChart('chart illegally references parent directory')
  const path = parts.join('/')
  if (/^[a-zA-Z]:\//.test(path) || path.includes('\0')) throw new BadChart('chart contains illegally named files')
  return path
}
