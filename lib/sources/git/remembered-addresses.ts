const MAX_REMEMBERED = 1000

/** A bounded set of addresses with a remembered property, such as servers that speak only old protocols. */
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
