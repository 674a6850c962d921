/** Formats of strings in schemas (`format: date-time`), as far as an API server checks them. Unknown ones pass. */
import { isIPv4, isIPv6 } from 'node:net'
import { parseDuration } from '../duration.ts'

const checks: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': value =>
    /^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}:\d{2}(\.\d{1,30})?(z|[+-]\d{2}:\d{2})$/i.test(value) && isTime(value),
  date: value => /^\d{4}-\d{2}-\d{2}$/.test(value) && isTime(value),
  byte: value => /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0,
  duration: value => parseDuration(value.replaceAll(' ', '')) !== undefined,
  email: value => /^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(value),
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: value => /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i.test(value),
  uri: value => /^(\/|[a-z][a-z0-9+.-]*:)\S*$/i.test(value),
  uuid: value => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
}

/** One label, or several that end in a top-level domain of at least two letters. */
function isHostname(value: string): boolean {
  const labels = value.split('.')
  const areLabels = labels.every(label => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))
  return areLabels && value.length <= 255 && (labels.length === 1 || /^[a-z]{2,63}$/i.test(labels.at(-1)!))
}

const isTime = (value: string) => !Number.isNaN(Date.parse(value))

function isCidr(value: string): boolean {
  const [address = '', prefix = ''] = value.split('/', 2)
  if (!/^\d{1,3}$/.test(prefix)) return false
  return (isIPv4(address) && Number(prefix) <= 32) || (isIPv6(address) && Number(prefix) <= 128)
}

/** Whether a string has a format. */
export const hasFormat = (format: string, value: string): boolean => {
  const check = Object.hasOwn(checks, format) ? checks[format] : undefined
  return check === undefined || check(value)
}
