// The screens of the job form. They are one module, because they share nearly all of it and each file of a page costs a request.
import { useParams } from 'wouter';
import { CreateScreen } from './create-screen.tsx';
import { EditScreen } from './edit-screen.tsx';

export default function JobFormScreen() {
  const { id } = useParams();
  return id === undefined ? <CreateScreen /> : <EditScreen id={id} />;
}
