/** Checked before a region becomes a part of a host name. */
export const isRegion = (text: string): boolean => /^[a-z]{2,3}(-[a-z]+)+-\d{1,2}$/.test(text)

/** The domain of services in a region. */
const dnsSuffixOf = (region: string): string => {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn'
  if (region.startsWith('us-isob-')) return 'sc2s.sgov.gov'
  if (region.startsWith('us-iso-')) return 'c2s.ic.gov'
  if (region.startsWith('eusc-')) return 'amazonaws.eu'
  return 'amazonaws.com'
}

/** The endpoint of a service in a region; AWS_ENDPOINT_URL_<SERVICE> and AWS_ENDPOINT_URL override it, as in the AWS SDKs. */
export const endpointOf = (
  service: string,
  region: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): string => {
  if (!isRegion(region)) throw new Error(`${JSON.stringify(region)} is not an AWS region`)
  const configured = environment[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || environment.AWS_ENDPOINT_URL
  return configured?.replace(/\/+$/, '') ?? `https://${service}.${region}.${dnsSuffixOf(region)}`
}
