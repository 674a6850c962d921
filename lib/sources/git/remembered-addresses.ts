/** What is remembered of servers, so that they are not asked in vain each time. */
const MAX_REMEMBERED = 1000

/** Addresses of which something is true, as far as there is room. */
export const rememberedAddresses = () => {
  const addresses = new Set<string>()
  return {
    has: (address: string) => addresses.has(address),
    set: (address: string, isTrue: boolean) => {
      if (!isTrue) addresses.delete(address)
      else if (addresses.size < MAX_REMEMBERED) addresses.add(address)
    },
  }
}
