/** A region's name may end up in a host's name: anything else is refused before it does. */
export const isRegion = (text: string): boolean => /^[a-z]{2,3}(-[a-z]+)+-\d{1,2}$/.test(text)

/** Domain of the services in a region. */
export const dnsSuffixOf = (region: string): string => {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn'
  if (region.startsWith('us-isob-')) return 'sc2s.sgov.gov'
  if (region.startsWith('us-iso-')) return 'c2s.ic.gov'
  if (region.startsWith('eusc-')) return 'amazonaws.eu'
  return 'amazonaws.com'
}

/** Where a service answers in a region; AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_<SERVICE> win, as in every AWS SDK. */
export const endpointOf = (
  service: string,
  region: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): string => {
  if (!isRegion(region)) throw new Error(`${JSON.stringify(region)} is not an AWS region`)
  const configured = environment[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || environment.AWS_ENDPOINT_URL
  return configured?.replace(/\/+$/, '') ?? `https://${service}.${region}.${dnsSuffixOf(region)}`
}
