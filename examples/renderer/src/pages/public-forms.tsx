import { formAddress } from '../route';
import { client } from '../service';
import { useLoad } from '../use-load';

/** Links to the public forms among the first 100. Shows nothing until they are loaded, because the page works without them. */
export function PublicForms() {
  const { load } = useLoad(() => client.listForms({ per_page: 100 }), 'forms');
  const forms = load.kind === 'loaded' ? load.result.data.filter(({ access }) => access === 'public') : [];
  if (forms.length === 0) return null;
  return (
    <section aria-labelledby="public-forms">
      <h2 id="public-forms">Forms that need no access token</h2>
      <ul>
        {forms.map(({ uuid, name }) => (
          <li key={uuid}>
            <a href={formAddress(uuid)}>{name}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
