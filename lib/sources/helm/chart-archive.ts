import { posix } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ChartFile } from '../../engines/helm/chart.ts'
import { quote } from '../../foundations/go/quote.ts'
import { InvalidTar, readTar, type TarMember } from '../artifact/tar-reader.ts'
import { stripByteOrderMark } from './byte-order-mark.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import { InvalidChart } from './invalid-chart.ts'

/** The files in a packaged chart, without their common folder. Fails with InvalidChart, in Helm's wording. */
export const filesInArchive = async (
  content: Uint8Array,
  limits: HelmLimits = helmLimits,
): Promise<readonly ChartFile[]> => {
  const files: ChartFile[] = []
  let entries = 0
  for (const { name, type, modifiedAt, content: data } of membersOf(await decompress(content, limits))) {
    if (++entries > limits.maxEntries) throw new InvalidChart(`chart has more than ${limits.maxEntries} files`)
    if (type === 'directory') continue
    if (data.length > limits.maxChartFileBytes) {
      throw new InvalidChart(`size of '${name}' exceeds '${limits.maxChartFileBytes}' bytes limit`)
    }
    files.push({ name: pathInChart(name), data: stripByteOrderMark(data), modifiedAt })
  }
  if (files.length === 0) throw new InvalidChart('no files in chart archive')
  return files
}

const decompress = async (content: Uint8Array, limits: HelmLimits): Promise<Buffer> => {
  if (content.length > limits.maxChartBytes) {
    throw new InvalidChart(`size of chart exceeds '${limits.maxChartBytes}' bytes limit`)
  }
  try {
    return await promisify(gunzip)(content, { maxOutputLength: limits.maxUnpackedBytes })
  } catch (cause) {
    const { code, message } = cause as { readonly code?: string; readonly message: string }
    const isLarge = code === 'ERR_BUFFER_TOO_LARGE'
    throw new InvalidChart(
      isLarge
        ? `chart unpacks to more than ${limits.maxUnpackedBytes} bytes`
        : (goMessages[message] ?? 'flate: corrupt input'),
      cause,
    )
  }
}

/** Go's messages for zlib's. */
const goMessages: Readonly<Record<string, string>> = {
  'incorrect header check': 'gzip: invalid header',
  'incorrect data check': 'gzip: invalid checksum',
  'unexpected end of file': 'unexpected EOF',
}

function* membersOf(tar: Buffer): Generator<TarMember> {
  try {
    yield* readTar(tar)
  } catch (cause) {
    throw cause instanceof InvalidTar ? new InvalidChart('the chart archive is damaged', cause) : cause
  }
}

/** Archives made on Windows may use backslashes in names. */
const pathInChart = (name: string): string => {
  const delimiter = name.includes('\\') ? '\\' : '/'
  const [folder, ...below] = name.split(delimiter)
  const inside = below.join('/')
  if (inside.startsWith('/')) throw new InvalidChart('chart illegally contains absolute paths')
  const path = posix.normalize(inside).replace(/\/$/, '')
  if (path === '.' || path === '') {
    throw new InvalidChart(`chart illegally contains content outside the base directory: ${quote(name)}`)
  }
  if (path.startsWith('..')) throw new InvalidChart('chart illegally references parent directory')
  if (/^[a-zA-Z]:\//.test(path) || path.includes('\0')) throw new InvalidChart('chart contains illegally named files')
  if (folder === 'Chart.yaml') throw new InvalidChart('chart yaml not in base directory')
  return path
}
